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

t.test('what is right is accepted', async (t) => {
  const limits = { connectTimeoutMs: 1, firstContentTimeoutMs: 1, idleTimeoutMs: 1, timeoutMs: 1, maxStreamMs: false, finishGraceMs: 1 }
  t.equal(refused({ legs: [{ ...leg, limits, retries: 0 }], deadlineMs: false, windowMs: 0, minAttemptMs: 1, retries: 0, maxRetryAfterMs: false }), 'accepted')
  t.equal(refused({ legs: [leg], deadlineMs: undefined }), 'accepted')
})
