// 500 requests in flight against a provider that dies and comes back, in four ways: how many calls reach it while its breaker is open, how
// long the traffic takes to return, and how many requests are lost. `--quick`: 60 requests, two ways.
import { runAndShow } from '../kit/run-and-show.mjs'

const given = process.argv.slice(2)
const unknown = given.filter((argument) => argument !== '--quick')
if (unknown.length > 0) throw new Error(`load: ${unknown.join(' ')} is not known; it takes --quick, or nothing`)

const args = given.includes('--quick') ? [] : ['--test-arg=--full']
runAndShow([...args, '--timeout=300', 'test/bench/health/health.test.ts'])
