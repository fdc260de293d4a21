// Ten processes on one Redis, then on one PostgreSQL, under load: how long a pin, a revert and a change by hand after a crash of the store
// take to reach the last of them, in which order each applied them, and what was lost. `--quick`: four processes and a short crash.
import { runAndShow } from '../kit/run-and-show.mjs'

const given = process.argv.slice(2)
const unknown = given.filter((argument) => argument !== '--quick')
if (unknown.length > 0) throw new Error(`fleet: ${unknown.join(' ')} is not known; it takes --quick, or nothing`)

const args = given.includes('--quick') ? [] : ['--test-arg=--full']
runAndShow([...args, '--timeout=600', 'test/bench/fleet/fleet.test.ts'])
