import type { ChainOptions } from '@understudy/core'
import { createChain } from '@understudy/core'
import t from 'tap'

const leg = { name: 'a', open: () => (async function* () {})() }
const refused = (options: unknown): string => {
  try {
    createChain(options as ChainOptions)
  } catch (error) {
    return error instanceof TypeError ? error.message : `no TypeError: ${String(error)}`
  }
  return 'accepted'
}

t.test('a chain needs legs that are legs', async (t) => {
  t.strictSame(
    [{ legs: [] }, {}, { legs: 'a' }, { legs: [leg, undefined] }, { legs: [{ name: 'a' }] }, { legs: [{ provider: 'a', open: leg.open }] }].map(refused),
    [
      'createChain: `legs` is empty; give it at least one leg',
      'createChain: `legs` must be an array of legs',
      'createChain: `legs` must be an array of legs',
      'createChain: `legs[1]` must be { name, open } or { provider, model, open }',
      'createChain: `legs[0]` must be { name, open } or { provider, model, open }',
      'createChain: `legs[0]` must be { name, open } or { provider, model, open }',
    ],
  )
})

t.test('a limit that is none is refused by name, with what would be right', async (t) => {
  t.strictSame(
    [
      { deadlineMs: 0 },
      { windowMs: -1 },
      { minAttemptMs: 1.5 },
      { retries: NaN },
      { maxRetryAfterMs: Infinity },
      { deadlineMs: '5000' },
      { windowMs: false },
      { legs: [{ ...leg, retries: -1 }] },
      { legs: [leg, { ...leg, limits: { timeoutMs: 0 } }] },
      { legs: [{ ...leg, limits: { maxStreamMs: true } }] },
    ].map((options) => refused({ legs: [leg], ...options })),
    [
      'createChain: `deadlineMs` must be an integer of at least 1, or false for none; got 0',
      'createChain: `windowMs` must be an integer of at least 0; got -1',
      'createChain: `minAttemptMs` must be an integer of at least 1; got 1.5',
      'createChain: `retries` must be an integer of at least 0; got NaN',
      'createChain: `maxRetryAfterMs` must be an integer of at least 0, or false for none; got Infinity',
      'createChain: `deadlineMs` must be an integer of at least 1, or false for none; got string',
      'createChain: `windowMs` must be an integer of at least 0; got boolean',
      'createChain: `legs[0].retries` must be an integer of at least 0; got -1',
      'createChain: `legs[1].limits.timeoutMs` must be an integer of at least 1; got 0',
      'createChain: `legs[0].limits.maxStreamMs` must be an integer of at least 1, or false for none; got boolean',
    ],
  )
})

t.test('what is no option, or has no such value, is refused by name and never passes for a default', async (t) => {
  const options = 'legs, advanceOn, commit, retries, retryOn, maxRetryAfterMs, order, breaker, cooldown, name, on, clock, epoch, random, deadlineMs, windowMs, minAttemptMs'
  const place = "; limits of an attempt stand in a leg's `limits`"
  const table: readonly (readonly [object, string])[] = [
    [{ retrys: 2 }, `\`retrys\` is not known; there are ${options}`],
    [{ timeoutMs: 5 }, `\`timeoutMs\` is not known${place}`],
    [{ legs: [{ ...leg, timeoutMs: 5 }] }, `\`legs[0].timeoutMs\` is not known${place}`],
    [{ legs: [{ ...leg, retrys: 5 }] }, '`legs[0].retrys` is not known; there are name, open, limits, reasoning, retries, price, weight'],
    [{ legs: [{ ...leg, limits: { timeoutMS: 5 } }] }, '`legs[0].limits.timeoutMS` is not known; there are connectTimeoutMs, firstContentTimeoutMs, idleTimeoutMs, timeoutMs, maxStreamMs, finishGraceMs'],
    [{ legs: [{ ...leg, limits: 5 }] }, '`legs[0].limits` must be an object; got number'],
    [{ legs: [{ ...leg, price: NaN }] }, '`legs[0].price` must be a number from 0 on; got number'],
    [{ advanceOn: 'allways' }, "`advanceOn` must be one of leg_faults, any, retryable, triggers, or an array of failure kinds; got 'allways'"],
    [{ advanceOn: ['timeouts'] }, "`advanceOn` must be one of leg_faults, any, retryable, triggers, or an array of failure kinds; got ['timeouts']"],
    [{ commit: 'first-content' }, "`commit` must be one of first_content, first_chunk, established, complete; got 'first-content'"],
    [{ retryOn: 'rate_limit' }, "`retryOn` must be an array of failure kinds; got 'rate_limit'"],
    [{ order: 'fastest' }, "`order` must be a function, or one of configured, health, latency, cost, weighted; got 'fastest'"],
    [{ breaker: true }, '`breaker` must be an object, or false for none; got boolean'],
    [{ breaker: { treshold: 2 } }, '`breaker.treshold` is not known; there are failureThreshold, ratio, recoveryMs, jitter, successThreshold, counts'],
    [{ breaker: { ratio: { minimum: 2 } } }, '`breaker.ratio.minimum` is not known; there are threshold, windowMs, minimumCalls'],
    [{ cooldown: 5 }, '`cooldown` must be true or false; got number'],
    [{ name: '' }, "`name` must be a text that is not empty; got ''"],
    [{ on: {} }, '`on` must be a function; got object'],
    [{ epoch: 5 }, '`epoch` must be a function; got number'],
    [{ clock: Date }, '`clock` must be an object with now() and schedule(); got function'],
    [{ legs: [{ ...leg, reasoning: 'yes' }] }, "`legs[0].reasoning` must be true or false; got 'yes'"],
  ]
  t.strictSame(table.map(([options]) => refused({ legs: [leg], ...options })), table.map(([, message]) => `createChain: ${message}`))
  t.strictSame([undefined, null, 'a', [leg]].map(refused), ['undefined', 'null', "'a'", 'an array'].map(
    (got) => `createChain: write createChain({ legs: [...] }); got ${got}`,
  ))
})

t.test('a leg stands in a chain once', async (t) => {
  const message = 'createChain: `legs[2]` is a repeated leg: it stands at position 0 already; to ask one again, set its `retries`'
  const whole = { provider: 'a', model: 'm', open: leg.open }
  t.equal(refused({ legs: [leg, { ...leg, name: 'b' }, { ...leg }] }), message)
  t.equal(refused({ legs: [whole, { ...whole, model: 'n' }, { ...whole }] }), message)
  t.equal(refused({ legs: [whole, { ...whole, region: 'eu' }, { ...whole, own: 1 }] }), message)
  t.equal(refused({ legs: [whole, { ...whole, region: 'eu', own: 1 }] }), 'accepted', 'a whole leg may hold more')
})

t.test('what is right is accepted', async (t) => {
  const limits = { connectTimeoutMs: 1, firstContentTimeoutMs: 1, idleTimeoutMs: 1, timeoutMs: 1, maxStreamMs: false, finishGraceMs: 1 }
  t.equal(refused({ legs: [{ ...leg, limits, retries: 0 }], deadlineMs: false, windowMs: 0, minAttemptMs: 1, retries: 0, maxRetryAfterMs: false }), 'accepted')
  t.equal(refused({ legs: [leg], deadlineMs: undefined }), 'accepted')
})
