import type { FallbackEvent, Leg } from '@understudy/core'
import { createRunJournal, failureOf } from '@understudy/core'
import t from 'tap'
import { createFakeClock } from '../../../test/kit/fake-clock.js'
import { createTrail } from '../src/trail.js'

const leg = (provider: string): Leg => ({
  provider,
  model: 'm',
  open: () => {
    throw new Error('not called')
  },
})

t.test('a row and an event for everything that happens, with the time that it took', async (t) => {
  const clock = createFakeClock()
  const events: FallbackEvent[] = []
  const journal = createRunJournal({ requestId: 'r', route: 'c', epoch: clock.now }, (event) => events.push(event))
  const trail = createTrail(clock, journal)
  const [a, b, c] = [leg('a'), leg('b'), leg('c')]
  const failure = failureOf('empty')

  trail.started(a, 0)
  await clock.advance(5)
  trail.failed(a, failure, 'charge')
  trail.started(a, 1)
  await clock.advance(6)
  trail.failed(a, failure, 'charge')
  trail.started(b, 0)
  await clock.advance(7)
  trail.served(b)
  await clock.advance(8)
  trail.ended(b, { verdict: 'success' })
  trail.ended(b, { failure, verdict: 'charge', usage: { outputTokens: 1 } })
  trail.skipped(c, 'window')
  trail.skipped({ ...c, region: 'eu' }, 'circuit_open', 800)

  t.strictSame(trail.rows, [
    { outcome: 'failed', provider: 'a', model: 'm', latencyMs: 5, failure, health: 'charge' },
    { outcome: 'failed', provider: 'a', model: 'm', latencyMs: 6, failure, health: 'charge' },
    { outcome: 'served', provider: 'b', model: 'm', latencyMs: 7 },
    { outcome: 'skipped', provider: 'c', model: 'm', reason: 'window' },
    { outcome: 'skipped', provider: 'c', model: 'm', region: 'eu', reason: 'circuit_open', retryAfterMs: 800 },
  ])
  t.strictSame(
    events.map((event) => `${event.type} ${'attempt' in event ? event.attempt : '-'} ${'latencyMs' in event ? event.latencyMs : '-'}`),
    [
      'attempt-start 1 -',
      'attempt-failure 1 5',
      'attempt-start 2 -',
      'attempt-failure 2 6',
      'failover - 6',
      'attempt-start 3 -',
      'run-commit 3 7',
      'attempt-failure 3 15',
      'leg-skipped - -',
      'leg-skipped - -',
    ],
  )
})

t.test('without a journal the rows are the same', async (t) => {
  const trail = createTrail(createFakeClock(), undefined)
  const a = leg('a')
  trail.started(a, 0)
  trail.failed(a, failureOf('aborted'), 'neutral')
  trail.started(a, 0)
  trail.served(a)
  trail.ended(a, { verdict: 'success' })
  trail.skipped(a, 'cooldown')
  t.strictSame(trail.rows.map(({ outcome }) => outcome), ['failed', 'served', 'skipped'])
})
