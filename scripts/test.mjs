// Runs every test and ends with `N passed, N failed`, counted from tap's own results. Arguments go to tap.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = new URL('..', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'understudy-test-'))
const output = join(folder, 'results.tap')
// A log wants the failures only, not a screen that is drawn again and again.
const reporter = process.stdout.isTTY ? 'terse' : 'min'
const args = ['tap', `--reporter=${reporter}`, `--output-file=${output}`, ...process.argv.slice(2)]
const { status, error } = spawnSync('npx', args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
if (error) throw error

const results = readFileSync(output, 'utf8')
rmSync(folder, { recursive: true })
const totals = [...results.matchAll(/^# \{ (?<counts>.*) \}$/gm)].at(-1)?.groups.counts
const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(totals ?? '')?.[1] ?? 0)
const passed = count('pass')
// A run that ended without its totals, or badly in spite of them, is a failure that no count shows.
const failed = Math.max(count('fail'), status === 0 && totals !== undefined ? 0 : 1)

// Once more without the screen's drawing, where a log is cut to its end.
for (const [line] of results.matchAll(/^ *not ok .*$/gm)) console.log(line)

// On a line of its own: tap leaves the terminal's cursor code in front.
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
