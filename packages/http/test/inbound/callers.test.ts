import type { CallerRequest, FallbackOptions } from '@understudy/config'
import t from 'tap'
import type { Test } from 'tap'

import { chat, fallbackOf, heard, jsonOf, MESSAGES, post, providersOn, says, simulate } from '../kit.js'

type Asked = (request: CallerRequest) => unknown

function identifyThatThrows(): never {
  throw new TypeError('secret-thrown')
}

const INTERNAL = { status: 500, code: 'internal_error', message: 'Understudy failed' }

async function setUp(t: Test, identify: Asked, options: FallbackOptions = {}) {
  const simulator = await simulate(t)
  const callers: unknown[] = []
  const fallback = fallbackOf(t, { chat: [says('one', 'Hi')], search: { legs: ['a/embed'], dimensions: 3 } }, {
    providers: providersOn(simulator, ['a']),
    identify: identify as FallbackOptions['identify'],
    authorize: ({ caller }) => void callers.push(caller),
    ...options,
  })
  const headers = { 'x-request-id': 'r-1', 'x-api-key': 'secret-key' }
  const asked = [
    chat({}, { headers }), post({ model: 'search', input: 'text' }, { path: '/embeddings', headers }),
    post({ messages: MESSAGES }, { path: '/policy-check', headers }),
  ]
  const ask = async (request = chat({}, { headers })) => {
    const response = await fallback.handle(request)
    const { error } = await jsonOf(response)
    return error === undefined ? { status: response.status } : { status: response.status, code: error.code, message: error.message }
  }
  return { simulator, callers, ask, asked }
}

const GIVE = '; give { keyId?, key?, failoverDefaults? }, or nothing for nobody that is known'
const AT = String.raw`(?: at .*callers\.test\.ts:\d+:\d+\)?)?`
const gave = (came: string) => `identify gave ${came}, which is no caller, and the request was answered with a 500${GIVE}`

const faults: readonly (readonly [string, Asked, string | RegExp])[] = [
  ['a throw', identifyThatThrows, new RegExp(`^identify threw a TypeError${AT}, and the request was answered with a 500$`)],
  ['a rejection', () => Promise.reject(new Error('secret-thrown')), new RegExp(`^identify threw an Error${AT}, and the request was answered with a 500$`)],
  ['a string', () => 'secret-name', gave('a string')],
  ['a promise of one', async () => 'secret-name', gave('a string')],
  ['a thenable that is hostile', () => ({ get then() { throw new Error('secret-thrown') } }), /^identify threw an Error/],
  ['an empty string', () => '', gave('a string')],
  ['false', () => false, gave('false')],
  ['a number', () => 42, gave('a number')],
  ['a function', () => () => 'secret-name', gave('a function')],
  ['an array', () => ['secret-name'], gave('an array')],
  ['another object', () => ({ user: 'secret-name' }), gave('an object with `user` and none of `keyId`, `key`, `failoverDefaults`')],
  ['names that may be keys', () => ({ 'sk-secret-1': 1, secret2: 1, ['x'.repeat(25)]: 1 }), gave('an object with 3 other and none of `keyId`, `key`, `failoverDefaults`')],
  ['many names', () => ({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, 'secret-7': 1 }), gave('an object with `a`, `b`, `c`, `d`, `e`, 2 more and none of `keyId`, `key`, `failoverDefaults`')],
  ['a keyId that is none', () => ({ keyId: 7, key: 'secret-key' }), gave('an object whose `keyId` is no string')],
  ['a key that is none', () => ({ key: ['secret-key'] }), gave('an object whose `key` is no string')],
]

for (const [name, identify, message] of faults) {
  t.test(`${name}: nobody is served, and the host is told that it was identify`, async (t) => {
    const lines: unknown[][] = []
    const line = (level: string) => (fields: object, text: string) => void lines.push([level, fields, text])
    const logger = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
    const { ask, asked, callers, simulator } = await setUp(t, identify, { logger })
    for (const request of asked) t.strictSame(await ask(request), INTERNAL, request.path)
    const at = identify === identifyThatThrows ? [/callers\.test/] : []
    t.match(lines, Array(asked.length).fill(['error', { requestId: 'r-1', code: 'UNDERSTUDY_IDENTIFY', at }, message]))
    t.equal(lines.length, asked.length, 'one line each')
    t.notMatch(JSON.stringify(lines), /secret/)
    t.strictSame([callers, simulator.calls.length], [[], 0])

    const warnings: (Error & { code?: string })[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const silent = await setUp(t, identify)
    for (const request of silent.asked) t.strictSame(await silent.ask(request), INTERNAL)
    await heard()
    process.off('warning', onWarning)
    t.match(warnings.map(({ code, message: text }) => [code, text]), [['UNDERSTUDY_IDENTIFY', message]])
    t.equal(warnings.length, 1, 'once')
  })
}

t.test('a process that gets something else each time is not warned for ever', async (t) => {
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  let times = 0
  const { ask } = await setUp(t, () => ({ ['x'.repeat(1 + (times % 24))]: 1, ['y'.repeat(1 + Math.floor(times++ / 24))]: 1 }))
  for (let request = 0; request < 150; request += 1) await ask()
  await heard()
  process.off('warning', onWarning)
  t.equal(warnings.length, 100)
})

t.test('nobody, and a caller with members of the host’s own, are no fault', async (t) => {
  const logger = { debug() {}, info() {}, warn() {}, error: () => t.fail('it is no fault') }
  class Account {
    readonly tenant = 'acme'
    get key() {
      return 'k'
    }
  }
  const account = new Account()
  for (const [given, told] of [
    [undefined, undefined], [null, undefined], [{}, {}], [Object.create(null), {}], [{ key: undefined }, {}], [{ keyId: null }, {}], [{ key: '' }, { key: '' }],
    [{ key: 'k', tenant: 'acme' }, { key: 'k', tenant: 'acme' }], [account, account], [{ failoverDefaults: { models: ['chat'] } }, { failoverDefaults: {} }],
  ] as const) {
    for (const identify of [() => given, async () => given]) {
      const { ask, callers } = await setUp(t, identify, { logger })
      t.strictSame(await ask(), { status: 200 })
      t.match(callers, [told])
    }
  }
})
