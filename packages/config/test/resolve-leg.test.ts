import t from 'tap'
import { issueOf, resolve } from './resolve.js'

function legs(...written: unknown[]) {
  return resolve({ chat: written }).routes.get('chat')?.legs ?? []
}

t.test('what belongs to a provider is sent there', async (t) => {
  const right = 'belongs in options.providers: { providers: { name: { dialect, baseURL, apiKey } } }'
  t.equal(issueOf({ chat: [{ provider: 'openai', model: 'x', apiKey: 'CANARY' }] }), `routes.chat[0].apiKey: ${right}`)
  t.equal(issueOf({ chat: ['openai/x'] }, { apiKey: 'CANARY' }), `options.apiKey: ${right}`)
})

t.test('a dialect that cannot be sent yet is one complaint', async (t) => {
  const providers = { bedrock: { dialect: 'bedrock' } }
  t.match(issueOf({ chat: ['bedrock/x'] }, { providers }), /^[^|]*speaks the dialect 'bedrock', which this version cannot send yet; it can send openai$/)
})

t.test('provider/model is split at the first slash', async (t) => {
  const [leg] = legs('openai/accounts/a/models/b')
  t.equal(leg?.type === 'provider' && leg.provider.name, 'openai')
  t.equal(leg?.type === 'provider' && leg.model, 'accounts/a/models/b')
})

t.test('an object says the same and more', async (t) => {
  const [leg] = legs({
    provider: 'openai', model: 'x', region: 'eu', timeoutMs: 5, maxStreamMs: false, retries: 2, reasoning: true,
    defaults: { n: 1 },
  })
  t.match(leg, {
    type: 'provider',
    model: 'x',
    region: 'eu',
    limits: { timeoutMs: 5, maxStreamMs: false },
    retries: 2,
    reasoning: true,
    defaults: { n: 1 },
  })
})

t.test('a model of * keeps the request\'s own', async (t) => {
  t.strictSame(legs('openai/*', 'openai/x').map((leg) => leg.type === 'provider' && leg.anyModel), [true, false])
})

t.test('whether a leg reasons is said, or known by its model', async (t) => {
  t.strictSame(legs(
    'openai/o3',
    'openai/gpt-4o',
    { provider: 'openai', model: 'o1', reasoning: false },
    { name: 'o4', async *open() {} },
  ).map(({ reasoning }) => reasoning), [true, false, false, false])
})

t.test('a custom leg is opened as the method that it was written as', async (t) => {
  const written = { name: 'fixed', text: 'hello', open() { return [this.text] } }
  t.match(issueOf({ chat: [written] }), 'routes.chat[0].text: is not known')
  const [leg] = legs({ name: 'fixed', idleTimeoutMs: 9, open(this: { name: string }) { return [this.name] } })
  t.match(leg, { type: 'custom', leg: { name: 'fixed' }, limits: { idleTimeoutMs: 9 } })
  t.strictSame(leg?.type === 'custom' && Reflect.apply(leg.leg.open, undefined, []), ['fixed'])
})

t.test('what is no leg is refused with what would be right', async (t) => {
  const right = 'it must be \'provider/model\' (such as \'openai/gpt-4o\'), { provider, model } or { name, open }'
  for (const [written, shown] of [
    ['gpt-4o', '\'gpt-4o\''], ['', 'empty'], ['/x', '\'/x\''], ['openai/', '\'openai/\''], [5, '5'], [null, 'null'],
    [['openai/x'], 'a list'], [() => {}, 'a function'],
  ] as const) t.equal(issueOf({ chat: [written] }), `routes.chat[0]: is ${shown}; ${right}`)
})

t.test('names are refused with control characters in them', async (t) => {
  const open = async function* () {}
  for (const bad of ['a\rb', 'a\nb', 'a\0b', '']) {
    t.match(issueOf({ chat: [{ provider: 'openai', model: bad }] }), /^routes\.chat\[0\]\.model: is /)
    t.match(issueOf({ chat: [{ provider: bad, model: 'x' }] }), /^routes\.chat\[0\]\.provider: is /)
    t.match(issueOf({ chat: [{ name: bad, open }] }), /^routes\.chat\[0\]\.name: is /)
    t.match(issueOf({ chat: [`openai/${bad}`] }), /^routes\.chat\[0\](\.model)?: is /)
  }
})

t.test('keys of legs are checked by the kind of leg', async (t) => {
  const open = async function* () {}
  for (const [written, message] of [
    [{ model: 'x' }, 'routes.chat[0].provider: is missing'],
    [{ provider: 'openai' }, 'routes.chat[0].model: is missing'],
    [{ name: 'x' }, 'routes.chat[0].open: is missing; it must be a function'],
    [{ open }, 'routes.chat[0].name: is missing'],
    [{ name: 'x', open, model: 'y' }, 'routes.chat[0].model: is not known'],
    [{ provider: 'openai', model: 'x', firstContentTimeout: 5 }, 'did you mean \'firstContentTimeoutMs\'?'],
    [{ provider: 'openai', model: 'x', prize: 5 }, 'routes.chat[0].prize: is not known'],
    [
      { provider: 'openai', model: 'x', reasoning: 'yes' },
      'routes.chat[0].reasoning: is \'yes\'; it must be true or false',
    ],
    [
      { provider: 'openai', model: 'x', retries: -1 },
      'routes.chat[0].retries: is -1; it must be a whole number, 0 or more',
    ],
  ] as const) t.match(issueOf({ chat: [written] }), message)
})

t.test('an unknown provider is named, with the nearest known one', async (t) => {
  t.equal(
    issueOf({ chat: ['antropic/x'] }, {}, { supportedDialects: new Set(['openai', 'anthropic']) }),
    'routes.chat[0]: provider \'antropic\' is not known; did you mean \'anthropic\'? '
      + '(describe one of your own in options.providers)',
  )
  t.match(
    issueOf({ chat: ['meta-llama/x'] }, {}, { supportedDialects: new Set(['openai', 'anthropic', 'gemini']) }),
    'it must be one of openai, anthropic, google, vertex, vertex-anthropic, bedrock-anthropic, azure, groq,',
    'of which none would be refused',
  )
  t.match(issueOf({ chat: ['bedrok/x'] }, {}, { supportedDialects: new Set(['gemini']) }), 'it must be one of google, vertex (describe')
  t.match(
    issueOf({ chat: ['chat-uk/x'] }, { providers: { 'chat-eu': { dialect: 'openai', baseURL: 'http://x' } } }),
    'did you mean \'chat-eu\'?',
  )
})

t.test('a leg may have a price and a weight', async (t) => {
  const custom = { name: 'own', async *open() {}, price: 0.5, weight: 0 }
  t.strictSame(
    legs('openai/a', { provider: 'openai', model: 'b', price: 2, weight: 3 }, custom).map(({ price, weight }) => [price, weight]),
    [[undefined, 1], [2, 3], [0.5, 0]],
  )
  for (const key of ['price', 'weight']) {
    for (const value of [-1, NaN, Infinity, '1']) {
      t.match(issueOf({ chat: [{ provider: 'openai', model: 'x', [key]: value }] }), `.${key}: is`)
    }
  }
})
