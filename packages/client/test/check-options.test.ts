import OpenAI from 'openai'
import t from 'tap'

import { withFallback } from '@understudy/client'

const client = new OpenAI({ apiKey: 'canary-key' })
const broken = (first: unknown, options: unknown): string => {
  try {
    withFallback(first as OpenAI, options as { fallback: [] })
  } catch (error) {
    if (error instanceof TypeError) return error.message
  }
  throw new Error('it was taken')
}

t.test('what is no client of a known SDK is refused', async (t) => {
  const message = 'withFallback: the first argument must be a client of `openai`, `@anthropic-ai/sdk`, `@google/genai` or `@aws-sdk/client-bedrock-runtime`'
  const lookalike = { baseURL: '', post() {}, makeRequest() {}, chat: { completions: { create() {} } } }
  for (const value of [undefined, null, {}, 'openai', OpenAI, lookalike]) t.equal(broken(value, { fallback: [] }), message)
})

t.test('an option that is none, or has the wrong shape, is named, with what would be right', async (t) => {
  const entries = '[client, model], [client, model, defaultParams] or [client, model, defaultParams, provider]'
  const wrong: readonly (readonly [options: unknown, message: string])[] = [
    [undefined, 'the second argument must be an object such as { fallback: [] }'],
    [{}, `\`fallback\` must be an array of ${entries}`],
    [{ fallback: [], timeoutMs: 5 }, 'there is no option `timeoutMs`'],
    [{ fallback: [client] }, `\`fallback[0]\` must be ${entries}`],
    [{ fallback: [[client]] }, `\`fallback[0]\` must be ${entries}`],
    [{ fallback: [[client, 'm'], ['m', client]] }, '`fallback[1][0]` must be a client of `openai`, `@anthropic-ai/sdk`, `@google/genai` or `@aws-sdk/client-bedrock-runtime`'],
    [{ fallback: [[client, 'm', 'low']] }, '`fallback[0][2]` must be an object of parameters; got \'low\''],
    [{ fallback: [[client, 'm', {}, '']] }, '`fallback[0][3]` must be a text that is not empty; got \'\''],
    [{ fallback: [], idempotency: 'sometimes' }, '`idempotency` must be \'always\', \'safe\' or \'never\'; got \'sometimes\''],
    [{ fallback: [], defaultParams: [] }, '`defaultParams` must be an object of parameters; got object'],
    [{ fallback: [], provider: 7 }, '`provider` must be a text that is not empty; got 7'],
    [{ fallback: [], hopTimeoutMs: 0 }, '`hopTimeoutMs` must be an integer of at least 1; got 0'],
    [{ fallback: [], windowMs: -1 }, '`windowMs` must be an integer of at least 0; got -1'],
    [{ fallback: [[client, 7]] }, '`fallback[0][1]` must be a text; got 7'],
    [{ fallback: [[client, 'm', {}, 'a\r\nb']] }, '`fallback[0][3]` must have no control characters'],
    [{ fallback: [], provider: 'a\nb' }, '`provider` must have no control characters'],
    [{ fallback: [], breaker: 'x' }, '`breaker` must be false or an object of options; got \'x\''],
    [{ fallback: [], breaker: true }, '`breaker` must be false or an object of options; got boolean'],
    [{ fallback: [], breaker: { threshold: 2 } }, 'there is no option `breaker.threshold`'],
    [{ fallback: [], cooldown: 'x' }, '`cooldown` must be true or false; got \'x\''],
    [{ fallback: [], on: 5 }, '`on` must be a function; got 5'],
    [{ fallback: [], priceHints: 5 }, '`priceHints` must be a function; got 5'],
    [{ fallback: [], advanceOn: 5 }, '`advanceOn` must be a set of failures or a list of kinds; got 5'],
    [{ fallback: [], retries: 1.5 }, '`retries` must be an integer of at least 0; got 1.5'],
  ]
  for (const [options, message] of wrong) t.equal(broken(client, options), `withFallback: ${message}`)
  t.match(broken(client, { fallback: [], advanceOn: 'never' }), /advanceOn/)
  t.match(broken(client, { fallback: [], advanceOn: ['timeout', 'zzz'] }), /`advanceOn` must list kinds among connection_error, .*; got 'zzz'$/)
  t.match(broken(client, { fallback: [], breaker: { failureThreshold: 0 } }), /failureThreshold/)
  t.match(broken(client, { fallback: [], order: 'random' }), /order/)
})
