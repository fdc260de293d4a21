import t from 'tap'
import { noteSkew } from '../../src/outbound/clock-skew.js'
import { fallbackOf, jsonOf, MESSAGES, post, simulate } from '../kit.js'

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a/secret+key' }
const MINUTE = 60_000
const NOW = Date.UTC(2030, 0, 1)
const REFUSED = 'InvalidSignatureException:http://internal.amazon.com/coral/com.amazon.coral.service/'

/** What is known after an answer that is dated `ahead` of our clock, where `known` was before. */
function learnt(ahead: number, { status = 403, type = REFUSED, known = 0 }: { readonly status?: number; readonly type?: string; readonly known?: number } = {}): number {
  const skew = { ms: known }
  noteSkew(skew, { status, headers: { date: new Date(NOW + ahead).toUTCString(), 'x-amzn-errortype': type } }, NOW)
  return skew.ms
}

t.test('only the refusal of a signature tells the time, and only what can be its reason is believed', async (t) => {
  for (const type of [REFUSED, 'RequestTimeTooSkewed', 'SignatureDoesNotMatch']) t.equal(learnt(7 * MINUTE, { type }), 7 * MINUTE, type)
  t.equal(learnt(-7 * MINUTE, { type: 'RequestExpired', status: 400 }), -7 * MINUTE)
  t.equal(learnt(30_000), 0, 'too little to be the reason')
  t.equal(learnt(0, { known: 7 * MINUTE }), 0, 'a clock that was put right since')
  t.equal(learnt(7 * MINUTE + 2_000, { known: 7 * MINUTE }), 7 * MINUTE)
  for (const type of ['AccessDeniedException', 'UnrecognizedClientException', '']) t.equal(learnt(7 * MINUTE, { type }), 0, type)
  for (const status of [200, 429, 500]) t.equal(learnt(7 * MINUTE, { status }), 0, String(status))
  const skew = { ms: 0 }
  for (const headers of [{}, { date: 'soon' }]) noteSkew(skew, { status: 403, headers: { ...headers, 'x-amzn-errortype': REFUSED } }, NOW)
  t.equal(skew.ms, 0, 'without a date there is nothing to learn')
})

t.test('a clock that is wrong costs one attempt: the next leg serves, and what is asked of AWS after that is signed for its own time', async (t) => {
  for (const off of [20 * MINUTE, -20 * MINUTE]) {
    const simulator = await simulate(t, { fallback: {}, aws: KEYS })
    const origin = new URL(simulator.url).origin
    const cloud = { dialect: 'bedrock', baseURL: origin, region: 'eu-west-1', credentials: KEYS } as const
    const other = await simulate(t)
    let wrong = off
    const fallback = fallbackOf(t, { chat: ['c/nova-a', 'o/two'], more: ['c/nova-b', 'o/two'] }, {
      providers: { c: cloud, o: { dialect: 'openai', baseURL: other.url, apiKey: 'key-o' } },
    }, { wallClock: () => Date.now() + wrong })
    const servedBy = async (model: string) => {
      const { headers, status } = await fallback.handle(post({ model, messages: MESSAGES }))
      return [status, headers['understudy-served']]
    }
    t.strictSame(await servedBy('chat'), [200, 'o/two'])
    t.strictSame(simulator.calls.map(({ path }) => path), ['/model/nova-a/converse'], 'no leg is asked twice for it')
    t.strictSame(await servedBy('more'), [200, 'c/nova-b'], 'another leg of the provider knows')
    t.strictSame(await servedBy('chat'), [200, 'c/nova-a'])
    wrong = 0
    t.strictSame(await servedBy('chat'), [200, 'o/two'], 'a clock that is put right')
    t.strictSame(await servedBy('chat'), [200, 'c/nova-a'])
  }
})

t.test('vectors of AWS are asked for in the same way', async (t) => {
  const simulator = await simulate(t, { fallback: {}, aws: KEYS })
  const cloud = { dialect: 'bedrock', baseURL: new URL(simulator.url).origin, region: 'eu-west-1', credentials: KEYS } as const
  const fallback = fallbackOf(t, { search: { legs: ['c/amazon.titan-embed-text-v2:0'], dimensions: 256 } }, { providers: { c: cloud } }, {
    wallClock: () => Date.now() - 20 * MINUTE,
  })
  const ask = () => fallback.handle(post({ model: 'search', input: 'x' }, { path: '/embeddings' }))
  t.match(await jsonOf(await ask()), { error: { failures: [{ reason: 'auth_error' }] } })
  t.match(await jsonOf(await ask()), { data: [{ embedding: { length: 256 } }] })
})
