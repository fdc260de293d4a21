import type { AttemptRecord } from '@understudy/core'
import { failureOf, phaseOf, reasonOf } from '@understudy/core'
import t from 'tap'
import { timedOut } from '../src/scope.js'

t.test('reason and phase of every kind of row', async (t) => {
  const leg = { provider: 'p', model: 'm' }
  const rows: readonly AttemptRecord[] = [
    { outcome: 'served', ...leg, latencyMs: 1 },
    { outcome: 'failed', ...leg, latencyMs: 1, failure: failureOf('empty'), health: 'charge' },
    { outcome: 'failed', ...leg, latencyMs: 1, failure: timedOut('idle'), health: 'charge' },
    { outcome: 'skipped', ...leg, reason: 'window' },
  ]
  t.strictSame(
    rows.map((row) => [reasonOf(row), phaseOf(row)]),
    [[undefined, undefined], ['empty', undefined], ['timeout', 'idle'], ['window', undefined]],
  )
})
