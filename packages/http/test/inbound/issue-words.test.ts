import t from 'tap'

import { issueWords } from '../../src/inbound/issue-words.js'
import { chatBodySchema } from '../../src/inbound/schemas.js'

const MESSAGES = [{ role: 'user', content: 'Hello' }]

const CASES: readonly (readonly [body: object, path: string, message: string])[] = [
  [{}, 'messages', 'is missing; it must be an array'],
  [{ messages: 'canary' }, 'messages', 'is a string; it must be an array'],
  [{ messages: [] }, 'messages', 'is empty; it must have 1 or more'],
  [{ messages: [{ role: 'user', content: 5 }] }, 'messages.0.content', 'is a number; it must be a string or an array'],
  [{ messages: [{ role: 'user', content: [{ text: 'canary' }] }] }, 'messages.0.content.0.type', 'is missing; it must be a string'],
  [{ messages: MESSAGES, stream: 'yes' }, 'stream', 'is a string; it must be true or false'],
  [{ messages: MESSAGES, stop: [1] }, 'stop.0', 'is a number; it must be a string'],
  [{ messages: MESSAGES, models: [] }, 'models', 'is empty; it must have 1 or more'],
  [{ messages: MESSAGES, models: [1] }, 'models.0', 'must be a model, or { model, timeout_ms?, first_token_timeout_ms? } with whole milliseconds of 1000 to 300000 and 500 to 60000'],
  [{ messages: MESSAGES, redundancy: { retries: 1 } }, 'redundancy', 'has a member that is not known here: retries'],
  [{ messages: MESSAGES, redundancy: { timeout_ms: 5 } }, 'redundancy.timeout_ms', 'is too small; it must be 1000 or more'],
  [{ messages: MESSAGES, redundancy: { timeout_ms: 5e9 } }, 'redundancy.timeout_ms', 'is too large; it must be 300000 at most'],
  [{ messages: MESSAGES, redundancy: { timeout_ms: 1_500.5 } }, 'redundancy.timeout_ms', 'is a number; it must be a whole number'],
  [{ messages: MESSAGES, redundancy: { on: ['x'] } }, 'redundancy.on.0', 'must be one of connection_error, server_error, rate_limit, timeout'],
]

t.test('what is wrong with a body is said in words: what came, and what would be right', async (t) => {
  for (const [body, path, message] of CASES) {
    const [issue] = chatBodySchema.safeParse(body, { jitless: true }).error?.issues ?? []
    const words = issue && issueWords(issue)
    t.equal(words?.path.join('.'), path)
    t.equal(words?.message, message)
  }
})
