// Plays the 16 faults and prints the table. `--full` takes the times of the catalogue as they are.
import { spawnSync } from 'node:child_process'

const known = ['--full']
const given = process.argv.slice(2)
const unknown = given.filter((argument) => !known.includes(argument))
if (unknown.length > 0) {
  throw new Error(`crash: ${unknown.join(' ')} is not known; it takes ${known.join(' ')}, or nothing`)
}

const args = ['tap', '--reporter=terse', ...given.map((argument) => `--test-arg=${argument}`)]
const { status, error } = spawnSync('npx', [...args, 'test/crash/crash.test.ts'], {
  cwd: new URL('../..', import.meta.url),
  stdio: ['ignore', 'inherit', 'inherit'],
})
if (error) throw error
process.exitCode = status ?? 1
