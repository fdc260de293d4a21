// Plays the 16 faults and shows the table. `--full` takes the times of the catalogue as they are.
import { runAndShow } from '../kit/run-and-show.mjs'

const known = ['--full']
const given = process.argv.slice(2)
const unknown = given.filter((argument) => !known.includes(argument))
if (unknown.length > 0) {
  throw new Error(`crash: ${unknown.join(' ')} is not known; it takes ${known.join(' ')}, or nothing`)
}

runAndShow([...given.map((argument) => `--test-arg=${argument}`), 'test/crash/crash.test.ts'])
