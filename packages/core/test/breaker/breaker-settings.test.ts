import type { FailureKind } from '@understudy/core'
import { FAILURE_KINDS, failureOf, healthOf } from '@understudy/core'
import t from 'tap'
import { breakerSettings, sameSettings, tripRule } from '../../src/breaker/breaker-settings.js'
import { verdictOf } from '../../src/breaker/counts.js'

const usual = {
  failureThreshold: 3,
  ratio: undefined,
  recoveryMs: 60_000,
  jitter: 0.2,
  successThreshold: 2,
  counts: 'table',
}

t.test('what nobody set has its default', async (t) => {
  t.strictSame(breakerSettings(), usual)
  t.strictSame(breakerSettings({ recoveryMs: undefined, ratio: {} }), { ...usual, ratio: { threshold: 0.5, windowMs: 60_000, minimumCalls: 10 } })
})

t.test('a provider\'s own options lie over those of all', async (t) => {
  t.strictSame(breakerSettings({ recoveryMs: 5, jitter: 0 }, { recoveryMs: 7, jitter: undefined }), { ...usual, recoveryMs: 7, jitter: 0 })
  t.strictSame(breakerSettings({ ratio: { minimumCalls: 9 } }, { ratio: false }), usual)
})

t.test('a breaker can be turned off for all, for one, and on for one', async (t) => {
  t.strictSame(
    [breakerSettings(false), breakerSettings({}, false), breakerSettings(false, false), breakerSettings(false, {})],
    [undefined, undefined, undefined, usual],
  )
})

t.test('an option that is none is refused with its name, what it was and what would be right', async (t) => {
  const wrong: readonly [object, string][] = [
    [{ failureThreshold: 0 }, '`breaker.failureThreshold` must be an integer of at least 1; got 0'],
    [{ recoveryMs: 1.5 }, '`breaker.recoveryMs` must be an integer of at least 1; got 1.5'],
    [{ recoveryMs: '5' }, '`breaker.recoveryMs` must be an integer of at least 1; got string'],
    [{ successThreshold: NaN }, '`breaker.successThreshold` must be an integer of at least 1; got NaN'],
    [{ jitter: 1.1 }, '`breaker.jitter` must be a number from 0 to 1; got 1.1'],
    [{ jitter: '0' }, '`breaker.jitter` must be a number from 0 to 1; got string'],
    [{ ratio: { threshold: 0 } }, '`breaker.ratio.threshold` must be a number above 0, at most 1; got 0'],
    [{ ratio: { windowMs: -1 } }, '`breaker.ratio.windowMs` must be an integer of at least 1; got -1'],
    [{ ratio: { minimumCalls: 0 } }, '`breaker.ratio.minimumCalls` must be an integer of at least 1; got 0'],
    [{ counts: 7 }, "`breaker.counts` must be 'table', 'sdk' or a list of failure kinds; got number"],
    [{ counts: 'all' }, "`breaker.counts` must be 'table', 'sdk' or a list of failure kinds; got 'all'"],
    [{ counts: ['timeout', 'bored'] }, "`breaker.counts` must hold failure kinds that a provider can cause; got 'bored'"],
    [{ counts: ['aborted'] }, "`breaker.counts` must hold failure kinds that a provider can cause; got 'aborted'"],
  ]
  for (const [options, message] of wrong) t.throws(() => breakerSettings(options), { name: 'TypeError', message })
  t.throws(() => breakerSettings({}, { jitter: -1 }, 'providers.eu.breaker'), { message: /^`providers\.eu\.breaker\.jitter`/ })
})

t.test('the ends of each range are in it', async (t) => {
  const least = { failureThreshold: 1, recoveryMs: 1, successThreshold: 1, jitter: 1, counts: ['timeout'] as const }
  t.strictSame(breakerSettings(least), { ...usual, ...least })
  t.match(breakerSettings({ jitter: 0, ratio: { threshold: 1, windowMs: 1, minimumCalls: 1 } }), { ratio: { threshold: 1 } })
})

t.test('the rule is failures in a row, or their share', async (t) => {
  const trips = (options: object): readonly boolean[] => {
    const settings = breakerSettings(options)
    if (settings === undefined) throw new Error('no breaker')
    const rule = tripRule(settings)
    return [rule.failure(0), rule.failure(0)]
  }
  t.strictSame(trips({ failureThreshold: 2 }), [false, true])
  t.strictSame(trips({ failureThreshold: 2, ratio: {} }), [false, false])
})

t.test('settings are the same if all of them are', async (t) => {
  const [one, other, third] = [breakerSettings({}), breakerSettings({ jitter: 0.2 }), breakerSettings({ ratio: {} })]
  t.strictSame([sameSettings(one!, other!), sameSettings(one!, third!)], [true, false])
})

function counted(counts: 'table' | 'sdk' | readonly FailureKind[]): readonly FailureKind[] {
  return FAILURE_KINDS.filter((kind) => verdictOf(failureOf(kind), counts) === 'charge')
}

t.test('by default the failure table says what counts', async (t) => {
  for (const kind of FAILURE_KINDS) t.equal(verdictOf(failureOf(kind), 'table'), healthOf(failureOf(kind)), kind)
  t.equal(verdictOf(undefined, 'table'), 'success')
})

t.test('as in the vendors\' SDKs, a rate limit counts and no other 4xx does', async (t) => {
  t.strictSame(counted('sdk'), [
    'connection_error', 'timeout', 'rate_limit', 'overloaded', 'server_error', 'malformed', 'empty', 'truncated',
  ])
  const by = (kind: FailureKind, status: number) => verdictOf(failureOf(kind, { status }), 'sdk')
  t.equal(by('server_error', 400), 'neutral')
  t.strictSame([by('timeout', 408), by('server_error', 418), by('server_error', 500), by('rate_limit', 429)], ['neutral', 'neutral', 'charge', 'charge'])
  t.strictSame([verdictOf(failureOf('aborted'), 'sdk'), verdictOf(undefined, 'sdk')], ['neutral', 'success'])
})

t.test('a list says which kinds count; the others are neutral, a rate limit still rests', async (t) => {
  t.strictSame(counted(['timeout', 'not_found']), ['timeout', 'not_found'])
  t.strictSame(
    [verdictOf(failureOf('server_error'), ['timeout']), verdictOf(failureOf('rate_limit'), ['timeout']), verdictOf(failureOf('rate_limit'), ['rate_limit'])],
    ['neutral', 'cooldown', 'charge'],
  )
})
