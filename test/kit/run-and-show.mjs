import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs tests with tap and shows the tables that they made below its own output. */
export function runAndShow(args) {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-table-'))
  const file = join(folder, 'table.txt')
  const reporter = process.stdout.isTTY ? 'base' : 'min'
  const { status, error } = spawnSync('npx', ['tap', `--reporter=${reporter}`, ...args], {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, TABLE_FILE: file },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const table = existsSync(file) ? readFileSync(file, 'utf8') : ''
  rmSync(folder, { recursive: true })
  if (error) throw error
  console.log(table.trimEnd())
  process.exitCode = status ?? 1
}
