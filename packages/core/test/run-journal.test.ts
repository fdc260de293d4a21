import type { FallbackEvent, Leg } from '@understudy/core'
import { createRunJournal, failureOf } from '@understudy/core'
import t from 'tap'
import { timedOut } from '../src/scope.js'

const leg = (provider: string): Leg => ({
  provider,
  model: 'm',
  open: () => {
    throw new Error('not called')
  },
})

t.test('every event has all its fields, in order of what happened', async (t) => {
  const events: FallbackEvent[] = []
  let at = 0
  const identity = { requestId: 'r1', route: 'chat', callerKeyId: 'k1', epoch: () => (at += 1) }
  const journal = createRunJournal(identity, (event) => events.push(event))
  const [a, b, c] = [leg('a'), leg('b'), leg('c')]

  journal.attemptStart(a)
  journal.attemptFailure(a, timedOut('idle'), 'charge', 12, false)
  journal.legSkipped({ ...b, region: 'eu' }, 'window')
  journal.failover(a, timedOut('idle'), c)
  journal.attemptStart(c)
  journal.runCommit(c, 34)
  journal.attemptFailure(b, failureOf('rate_limit', { status: 429, code: 'slow', usage: { inputTokens: 1 } }), 'cooldown', 56, true)
  journal.attemptFailure(b, failureOf('aborted', { usage: { inputTokens: 1 } }), 'neutral', 78, true, { outputTokens: 2 })

  const of = (provider: string, at: number) => ({ requestId: 'r1', route: 'chat', provider, model: 'm', at })
  t.strictSame(events, [
    { type: 'attempt-start', ...of('a', 1), attempt: 1 },
    {
      type: 'attempt-failure', ...of('a', 2), attempt: 1, kind: 'timeout', phase: 'idle', status: undefined, code: undefined,
      verdict: 'charge', usage: undefined, latencyMs: 12, committed: false,
    },
    { type: 'leg-skipped', ...of('b', 3), region: 'eu', reason: 'window' },
    {
      type: 'failover', requestId: 'r1', route: 'chat', at: 4, from: 'a/m', to: 'c/m', reason: 'timeout', latencyMs: 12,
      callerKeyId: 'k1',
    },
    { type: 'attempt-start', ...of('c', 5), attempt: 2 },
    { type: 'run-commit', ...of('c', 6), attempt: 2, latencyMs: 34 },
    {
      type: 'attempt-failure', ...of('b', 7), attempt: 2, kind: 'rate_limit', phase: undefined, status: 429, code: 'slow',
      verdict: 'cooldown', usage: { inputTokens: 1 }, latencyMs: 56, committed: true,
    },
    {
      type: 'attempt-failure', ...of('b', 8), attempt: 2, kind: 'aborted', phase: undefined, status: undefined, code: undefined,
      verdict: 'neutral', usage: { outputTokens: 2 }, latencyMs: 78, committed: true,
    },
  ])
})

t.test('an event never holds the words of a provider', async (t) => {
  const events: FallbackEvent[] = []
  const journal = createRunJournal({ requestId: 'r1', route: 'chat', epoch: () => 0 }, (event) => events.push(event))
  const failure = failureOf('invalid_request', { providerMessage: 'CANARY', providerRequestId: 'CANARY' })
  journal.attemptFailure(leg('a'), failure, 'neutral', 1, false)
  journal.failover(leg('a'), failure, leg('b'))
  t.notMatch(JSON.stringify(events), /CANARY/)
})
