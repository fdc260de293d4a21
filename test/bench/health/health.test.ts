// Requests in flight against a provider that dies and comes back: short, but for `--full`.
import t from 'tap'
import { columnsOf, showLines } from '../../kit/show-table.js'
import type { Death } from './mortal-provider.js'
import type { OutageFigures } from './outage.js'
import { playOutage } from './outage.js'

const full = process.argv.includes('--full')
/** The short run is one of many tests on a machine that may be busy: there it only tells a provider that is never asked again. */
const MOST_RECOVERIES = full ? 2 : 5
const OPTIONS = full ? { inFlight: 500, recoveryMs: 3_000, answerMs: 500 } : { inFlight: 60, recoveryMs: 1_000, answerMs: 100 }

const refuses: Death = { name: 'the process is gone: connections refused', cutsOpen: true, step: undefined }
const resets: Death = { name: 'every connection reset', cutsOpen: true, step: { connect: 'reset_before_headers' } }
const fails: Death = { name: 'status 503', cutsOpen: false, step: { status: 503 } }
const hangs: Death = { name: 'accepts and never answers', cutsOpen: false, step: { connect: 'accept_stall' } }

t.setTimeout(300_000)
const played: (readonly [Death, OutageFigures])[] = []

for (const death of full ? [refuses, resets, fails, hangs] : [refuses, fails]) {
  t.test(`${OPTIONS.inFlight} requests in flight, ${death.name}: none is lost, only probes reach it, and it is asked again soon`, async (t) => {
    const figures = await playOutage(death, OPTIONS)
    const { lost, callsWhileOpen, receivedWhileOpen, probesAllowed, returnMs, servedMeanwhile } = figures
    t.strictSame(lost, [], 'no request is lost')
    t.ok(callsWhileOpen <= probesAllowed, `${callsWhileOpen} attempts while it is open, of ${probesAllowed} allowed`)
    t.ok(receivedWhileOpen <= callsWhileOpen, `it received ${receivedWhileOpen} of them`)
    t.ok(servedMeanwhile > OPTIONS.inFlight, `${servedMeanwhile} requests are served meanwhile`)
    t.ok(returnMs <= MOST_RECOVERIES * OPTIONS.recoveryMs, `it is asked again after ${returnMs.toFixed(0)} ms`)
    played.push([death, figures])
  })
}

t.test('the figures', async (t) => {
  const head = ['how it dies', 'requests', 'lost', 'cut in mid-text, told', 'failed before it opened', 'calls while open', 'of requests', 'return / recoveryMs']
  const rows = played.map(([{ name }, { requests, lost, cut, failedBefore, callsWhileOpen, servedMeanwhile, returnMs }]) => [
    name, requests, lost.length, cut, failedBefore, callsWhileOpen, servedMeanwhile, (returnMs / OPTIONS.recoveryMs).toFixed(2),
  ])
  showLines(t, [`${OPTIONS.inFlight} requests in flight, recoveryMs ${OPTIONS.recoveryMs}`, ...columnsOf([head, ...rows])])
})
