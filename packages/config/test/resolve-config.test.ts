import { inspect } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { ConfigError, isConfigError } from '@understudy/config'
import { createMemoryStore } from '@understudy/core'
import { ENV, issueOf, issuesOf, resolve } from './resolve.js'

t.test('a route name with a list of legs is enough', async (t) => {
  const { routes, providers, mount, logger, proxy } = resolve({ chat: ['openai/gpt-4o', 'groq/llama/3'] })
  const route = routes.get('chat')
  t.strictSame(
    route?.legs.map((leg) => leg.type === 'provider' && [leg.provider.name, leg.model, leg.anyModel, leg.retries]),
    [['openai', 'gpt-4o', false, 0], ['groq', 'llama/3', false, 0]],
  )
  t.strictSame([...providers.keys()], ['openai', 'groq'])
  t.equal(providers.get('openai')?.credential(), ENV.OPENAI_API_KEY)
  t.strictSame(mount, {
    shortPaths: false,
    maxBodyBytes: 20_971_520,
    envelope: 'dialect',
    report: true,
    reportKey: 'understudy',
    exposeTrail: true,
    exposeProviderMessages: false,
    clientRetries: false,
    exhaustedStatus: 'by_cause',
  })
  t.equal(logger, undefined)
  t.strictSame(proxy, { type: 'environment' })
})

t.test('the error lists everything that is wrong, each with its path', async (t) => {
  const issues = issuesOf(
    { chat: { legs: ['opnai/x', { provider: 'openai', model: 'a', timeoutMs: '5s' }], commit: 'first' }, empty: [] },
    { retrys: 1, providers: { eu: { dialect: 'openai', baseURL: 'ftp://x', headers: 1 } } },
  )
  t.strictSame(issues.map(({ path }) => path), [
    'options.retrys',
    'options.providers.eu.baseURL',
    'options.providers.eu.headers',
    'routes.chat.commit',
    'routes.chat.legs[0]',
    'routes.chat.legs[1].timeoutMs',
    'routes.empty',
  ])
  const error = new ConfigError(issues)
  for (const { path, message } of issues) t.ok(error.message.includes(`${path}: ${message}`))
})

t.test('what is no record of routes is refused with an example', async (t) => {
  const example = 'it must be a plain object: { chat: [\'openai/gpt-4o\'] }'
  for (const [kind, routes] of [['undefined', undefined], ['null', null], ['a string', 'x'], ['a list', ['a/x']]]) {
    t.equal(issueOf(routes), `routes: is ${String(kind)}; ${example}`)
  }
  t.match(issueOf({}), 'routes: has no route; write at least one')
  t.match(issueOf({ chat: ['openai/x'] }, 'loud'), 'options: is a string; it must be a plain object')
})

t.test('route names are any text without control characters', async (t) => {
  for (const name of ['*', 'gpt-4o', 'a b', 'openai/gpt-4o', 'caf\u00e9', '\u{1f600}', 'constructor', 'toString']) {
    t.strictSame([...resolve({ [name]: ['openai/x'] }).routes.keys()], [name])
  }
  for (const name of ['', 'a\nb', 'a\rb', 'a\0b', 'a\u007fb', '\ud800']) {
    t.match(issueOf({ [name]: ['openai/x'] }), /^routes\[.*\]: the name is .*; it must be a text/, JSON.stringify(name))
  }
})

t.test('__proto__ and constructor are plain names or refused, and change no prototype', async (t) => {
  const routes = resolve(JSON.parse('{"__proto__": ["openai/x"], "constructor": ["openai/y"]}')).routes
  t.strictSame([...routes.keys()], ['__proto__', 'constructor'])
  t.match(
    issueOf({ __proto__: ['openai/x'] }),
    'it must be a plain object',
    'a literal __proto__ is no route but a prototype',
  )
  t.match(issueOf({ chat: ['constructor/x'] }), 'provider \'constructor\' is not known')
  t.match(issueOf({ chat: ['__proto__/x'] }), 'provider \'__proto__\' is not known')
  t.match(
    issueOf({ chat: ['openai/x'] }, JSON.parse('{"providers": {"__proto__": {"baseURL": "x"}}, "__proto__": 5}')),
    /options\.__proto__: is not known.*options\.providers\.__proto__\.baseURL: is .*not an http/s,
  )
  t.match(
    issueOf({ chat: { legs: ['openai/x'], defaults: JSON.parse('{"__proto__": {"polluted": true}}') } }),
    'routes.chat.defaults.__proto__: is not a parameter',
  )
  t.equal(Reflect.get({}, 'polluted'), undefined)
})

t.test('an inherited option is no option', async (t) => {
  t.match(
    issueOf({ chat: ['openai/x'] }, Object.create({ retries: 7 })),
    'options: is an object; it must be a plain object',
  )
  t.match(issueOf({ chat: Object.create({ legs: ['openai/x'] }) }), 'routes.chat: is an object; it must be')
  t.equal(
    resolve(Object.assign(Object.create(null), { chat: ['openai/x'] })).routes.size,
    1,
    'no prototype is plain enough',
  )
})

t.test('prefix is refused with the call that is right', async (t) => {
  const issue = issueOf({ chat: ['openai/x'] }, { prefix: '/chat' })
  t.match(issue, 'options.prefix')
  t.match(issue, 'app.use(\'/prefix\', fallbackMiddleware(...))')
  t.match(issue, 'app.register(fallbackMiddleware(...), { prefix: \'/prefix\' })')
})

t.test('a missing key stops a strict mount and says what to set', async (t) => {
  const message = 'provider \'groq\' has no credentials: set GROQ_API_KEY (or apiKey in options.providers)'
  const routes = { chat: ['openai/x', 'groq/a'], other: ['groq/a', 'groq/b'] }
  t.equal(issueOf(routes, {}, { env: { OPENAI_API_KEY: 'k' } }), `routes.chat[1]: ${message}`, 'once for a provider')
  t.equal(issueOf(routes, {}, { env: { OPENAI_API_KEY: 'k', GROQ_API_KEY: ' ' } }), `routes.chat[1]: ${message}`)
  t.equal(
    issueOf(
      { chat: ['eu/x'] },
      { providers: { eu: { dialect: 'openai', baseURL: 'http://x', apiKey: { env: 'EU_KEY' } } } },
    ),
    'routes.chat[0]: provider \'eu\' has no credentials: set EU_KEY',
  )
})

t.test('a lenient mount leaves such legs out, with one warning for each provider', async (t) => {
  const warnings: string[] = []
  const { routes, providers } = resolve(
    { chat: ['groq/a', 'openai/x', 'groq/b'], lost: ['groq/a', 'xai/b'] },
    { providerValidation: 'lenient' },
    { env: { OPENAI_API_KEY: 'k' }, warn: (code, message) => warnings.push(`${code} ${message}`) },
  )
  t.strictSame(routes.get('chat')?.legs.map((leg) => leg.type === 'provider' && leg.model), ['x'])
  t.strictSame(routes.get('lost')?.legs, [], 'an empty route stays, so that it answers 404')
  t.strictSame([...providers.keys()], ['openai'])
  t.strictSame(warnings, ['GROQ_API_KEY', 'XAI_API_KEY'].map((variable) =>
    `UNDERSTUDY_NO_CREDENTIALS provider '${variable.slice(0, -8).toLowerCase()}' has no credentials: `
      + `set ${variable} (or apiKey in options.providers); its legs are left out`))
})

t.test('a custom leg cannot be called like a provider in use', async (t) => {
  const open = async function* () { yield 'x' }
  t.match(
    issueOf({ chat: [{ name: 'openai', open }, 'openai/x'] }),
    'routes.chat[0]: is called \'openai\' like a provider; health and cost are kept by name',
  )
  t.equal(issueOf({ chat: [{ name: 'openai', open }, 'groq/x'] }), '')
})

t.test('logger and proxy are checked', async (t) => {
  const routes = { chat: ['openai/x'] }
  t.equal(resolve(routes, { logger: console }).logger, console)
  t.match(
    issueOf(routes, { logger: { info() {} } }),
    'options.logger: is an object without debug, warn, error; it must be an object with the methods debug, info, warn and error',
  )
  t.strictSame(resolve(routes, { proxy: false }).proxy, { type: 'none' })
  const proxy = resolve(routes, { proxy: 'http://user:pass@proxy:3128' }).proxy
  t.equal(proxy.type === 'url' && proxy.url(), 'http://user:pass@proxy:3128')
  for (const wrong of [true, '', 'proxy:3128', 'socks5://u:canary@h', 'http://']) {
    const issue = issueOf(routes, { proxy: wrong })
    t.match(issue, 'options.proxy: is ')
    t.notMatch(issue, 'canary')
  }
})

t.test('the host\'s objects are not changed, and later changes of them change nothing', async (t) => {
  const routes = { chat: { legs: [{ provider: 'openai', model: 'x', defaults: { stop: ['a'] } }] } }
  const before = structuredClone(routes)
  const config = resolve(routes)
  t.strictSame(routes, before)
  routes.chat.legs[0]?.defaults.stop.push('b')
  t.strictSame(config.routes.get('chat')?.legs[0]?.defaults, { stop: ['a'] })
})

const CANARY = 'canaryV3ryS3cretKey0123456789'

t.test('no key prints: not from the resolved config', async (t) => {
  const config = resolve(
    { chat: ['openai/x', 'text/x', 'function/x', 'variable/x'] },
    {
      proxy: `http://user:${CANARY}@proxy`,
      providers: {
        text: { dialect: 'openai', baseURL: 'http://x', apiKey: CANARY, headers: { 'x-auth': CANARY } },
        function: { dialect: 'openai', baseURL: 'http://x', apiKey: () => CANARY },
        variable: { dialect: 'openai', baseURL: 'http://x', apiKey: { env: 'KEY' } },
      },
    },
    { env: { OPENAI_API_KEY: CANARY, KEY: CANARY } },
  )
  const plain = [...config.providers.values(), ...config.routes.values(), config]
  const printed = [
    inspect(config, { depth: 20, showHidden: true }),
    ...plain.map((value) => JSON.stringify(value)),
    ...plain.map((value) => String(value)),
  ]
  for (const text of printed) t.notMatch(text, 'canary')
  t.strictSame([...config.providers.values()].map(({ credential }) => credential()), [CANARY, CANARY, CANARY, CANARY])
  t.strictSame(config.providers.get('text')?.headers(), { 'x-auth': CANARY })
})

t.test('no key prints: not from an error, wherever it was put', async (t) => {
  const key = `sk-${CANARY}`
  const eu = { dialect: 'openai', baseURL: 'http://x' }
  const misplaced: [routes: unknown, options?: unknown][] = [
    [{ chat: [key] }],
    [{ chat: [`${key}/x`] }],
    [{ chat: [{ provider: key, model: 'x' }] }],
    [{ chat: { legs: ['openai/x'], commit: key } }],
    [{ chat: { legs: ['openai/x'], advanceOn: [key] } }],
    [{ [key]: [] }],
    [{ chat: ['openai/x'] }, { providers: key }],
    [{ chat: ['openai/x'] }, { providers: { eu: key } }],
    [{ chat: ['openai/x'] }, { [key]: 1 }],
    [{ chat: ['openai/x'] }, { reportKey: `${key}\n` }],
    ...[
      { apiKey: `${key}\n` },
      { apiKey: [key] },
      { apiKey: { env: key } },
      { apiKey: { key } },
      { apiKey: { env: 'UNFIT' } },
      { baseURL: `http://user:${key}@host` },
      { baseURL: key },
      { baseURL: `https://host?key=${key}` },
      { headers: { authorization: `Bearer ${key}\r\n` } },
      { headers: { authorization: [key] } },
      { headers: key },
      { dialect: key },
      { apiVersion: `${key} ` },
    ].map((member): [unknown, unknown] => [{ chat: ['eu/x'] }, { providers: { eu: { ...eu, ...member } } }]),
  ]
  for (const [routes, options] of misplaced) {
    try {
      resolve(routes, options, { env: { OPENAI_API_KEY: 'k', UNFIT: `${CANARY}\n${CANARY}` } })
      t.fail(`resolved ${inspect([routes, options])}`)
    } catch (error) {
      t.ok(isConfigError(error))
      t.notMatch(inspect(error, { depth: 20, showHidden: true }), /canary/i)
    }
  }
})

t.test('any JSON resolves or is refused with a ConfigError, and pollutes nothing', async (t) => {
  const word = fc.constantFrom(
    'chat', 'legs', 'provider', 'model', 'openai', 'openai/x', 'groq/y', 'name', 'open', 'defaults', 'providers',
    'apiKey', 'env', 'headers', 'baseURL', 'timeoutMs', 'advanceOn', 'waitingComment', 'afterMs', '__proto__',
    'constructor', 'prototype', 'toString', '*', '', '\n',
  )
  const key = fc.oneof({ weight: 4, arbitrary: word }, { weight: 1, arbitrary: fc.string() })
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(word, fc.string({ unit: 'binary' }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    tree: fc.oneof(
      { depthSize: 'medium' },
      tie('leaf'),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie('tree')), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
    ),
  }))
  const before = Reflect.ownKeys(Object.prototype).length
  let refused = 0
  fc.assert(fc.property(tree, tree, (routes, options) => {
    try {
      resolve(routes, options)
    } catch (error) {
      if (!isConfigError(error) || error.issues.length === 0) throw error
      refused += 1
    }
    return Reflect.ownKeys(Object.prototype).length === before
  }), { numRuns: 2_000 })
  t.ok(refused > 0)
})

t.test('any valid route resolves to the legs that were written', async (t) => {
  const model = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text))
  fc.assert(fc.property(fc.uniqueArray(model, { minLength: 1, maxLength: 5 }), (models) => {
    const { routes } = resolve({ chat: models.map((name) => `openai/${name}`) })
    t.strictSame(routes.get('chat')?.legs.map((leg) => leg.type === 'provider' && leg.model), models)
  }), { numRuns: 100 })
})

t.test('health is kept unless somebody says otherwise', async (t) => {
  t.strictSame(resolve({ chat: ['openai/x'] }).health, {
    breaker: {}, cooldown: true, shared: undefined, whenOpen: 'next', whenAllOpen: 'skip', priceHints: undefined,
  })
  const priceHints = () => ({})
  const own = { breaker: false, cooldown: false, whenOpen: 'stop', whenAllOpen: 'try', priceHints }
  t.strictSame(resolve({ chat: ['openai/x'] }, own).health, { ...own, shared: undefined })
})

t.test('a store of health is taken with its patience, and checked', async (t) => {
  const routes = { chat: ['openai/x'] }
  const store = createMemoryStore({ now: () => 0 })
  const { shared } = resolve(routes, { health: { store, admitWaitMs: 10, settleWaitMs: 20, pauseMs: 30, refreshMs: 40 } }).health
  t.equal(shared?.store, store, 'the very one')
  t.match(shared, { admitWaitMs: 10, settleWaitMs: 20, pauseMs: 30, refreshMs: 40 })
  const right = 'it must be a store with the methods read, admit, settle, rest, restOf'
  for (const [health, wanted] of [
    [store, 'options.health.store: is missing; ' + right],
    [{}, 'options.health.store: is missing; ' + right],
    [{ store: { ...store, restOf: 1 } }, 'options.health.store: is an object that does not fit; ' + right],
    [{ store: 'redis://:secret@host' }, 'options.health.store: is a string that does not fit; ' + right],
    [{ store: new Proxy({}, { get: () => { throw new Error('no') } }) }, 'options.health.store: is an object that does not fit; ' + right],
    [{ store, refreshMs: 0 }, /^options.health.refreshMs: is 0; it must be a whole number of milliseconds above 0/],
    [{ store, waitMs: 5 }, /^options.health.waitMs: is not known; /],
    [{ store, breaker: {} }, /^options.health.breaker: is an option beside this one/],
    ['redis', "options.health: is 'redis'; it must be { store, admitWaitMs?, ... }"],
  ] as const) {
    const [issue = ''] = issuesOf(routes, { health }).map(({ path, message }) => `${path}: ${message}`).filter((line) => typeof wanted === 'string' ? line === wanted : wanted.test(line))
    t.match(issue, wanted)
  }
  t.match(issuesOf(routes, { health: store }).map(({ message }) => message), ['is missing', 'the store itself belongs into the member store'].map((word) => new RegExp(word)))
  t.match(issueOf(routes, { healthStore: store }), 'options.healthStore: is not known; the store belongs into health: { store }')
})

t.test('a breaker holds for all providers, and a provider may have its own', async (t) => {
  const breaker = {
    failureThreshold: 5, ratio: { threshold: 0.3, windowMs: 1_000, minimumCalls: 4 }, recoveryMs: 9, jitter: 0, successThreshold: 1,
    counts: ['timeout', 'rate_limit'],
  }
  const { health, providers } = resolve({ chat: ['openai/x', 'groq/y'] }, {
    breaker,
    providers: { openai: { breaker: false }, groq: { breaker: { counts: 'sdk', ratio: false } } },
  })
  t.strictSame(health.breaker, breaker)
  t.strictSame(['openai', 'groq'].map((name) => providers.get(name)?.breaker), [false, { counts: 'sdk', ratio: false }])
  t.equal(resolve({ chat: ['openai/x'] }).providers.get('openai')?.breaker, undefined)
})

t.test('what no breaker can be is refused, with what would be right', async (t) => {
  const wrong: readonly (readonly [unknown, string])[] = [
    [true, 'options.breaker: is true; it must be { failureThreshold, recoveryMs, ... } or false for none'],
    [{ failureThreshold: 0 }, 'options.breaker.failureThreshold: is 0; it must be a whole number above 0'],
    [{ successThreshold: 1.5 }, 'options.breaker.successThreshold: is 1.5; it must be a whole number above 0'],
    [{ recoveryMs: '5s' }, 'options.breaker.recoveryMs: is \'5s\'; it must be a whole number of milliseconds above 0 (at most 2147483647)'],
    [{ jitter: 2 }, 'options.breaker.jitter: is 2; it must be a number from 0 to 1'],
    [{ ratio: 0.5 }, 'options.breaker.ratio: is 0.5; it must be { threshold, windowMs, minimumCalls } or false'],
    [{ ratio: { threshold: 0 } }, 'options.breaker.ratio.threshold: is 0; it must be a number above 0, at most 1'],
    [{ counts: ['timeuot'] }, 'options.breaker.counts: holds \'timeuot\', which is none of the failure kinds; did you mean \'timeout\'?'],
  ]
  for (const [breaker, message] of wrong) t.equal(issueOf({ chat: ['openai/x'] }, { breaker }), message)
  t.match(issueOf({ chat: ['openai/x'] }, { breaker: { threshold: 1 } }), /^options.breaker.threshold: is not known/)
  t.match(issueOf({ chat: ['openai/x'] }, { breaker: { counts: 'all' } }), /it must be one of table, sdk, or a list of failure kinds/)
  t.match(issueOf({ chat: ['openai/x'] }, { breaker: { counts: ['aborted'] } }), /holds 'aborted'/)
  const provider = { providers: { openai: { breaker: { jitter: -1 } } } }
  t.match(issueOf({ chat: ['openai/x'] }, provider), /^options.providers.openai.breaker.jitter: is -1/)
  for (const [key, right] of [['cooldown', 'true or false'], ['whenOpen', 'next, stop'], ['whenAllOpen', 'skip, try'], ['priceHints', 'a function']]) {
    t.match(issueOf({ chat: ['openai/x'] }, { [String(key)]: 7 }), `options.${key}: is 7; it must be`)
    t.match(issueOf({ chat: ['openai/x'] }, { [String(key)]: 7 }), right)
  }
})

t.test('a limit that can never fire is warned of, with the one that fires first', async (t) => {
  const warned = (route: unknown, options: object = {}): readonly string[] => {
    const said: string[] = []
    resolve({ chat: route }, options, { warn: (code, message) => said.push(`${code} ${message}`) })
    return said
  }
  const slow = { provider: 'openai', model: 'a', firstContentTimeoutMs: 90_000 }
  const first = 'UNDERSTUDY_LIMITS routes.chat[0]: firstContentTimeoutMs (90000) is over timeoutMs'
  const which = 'which ends the attempt first; raise timeoutMs too'
  t.strictSame(warned([slow, 'groq/b']), [`${first} (60000, the default here), ${which}`])
  t.strictSame(warned([slow]), [], 'the last leg has 120 000')
  t.strictSame(warned([{ ...slow, timeoutMs: 90_000 }, 'groq/b']), [])
  t.strictSame(warned([slow], { timeoutMs: 5_000 }), [`${first} (5000, set here), ${which}`])
  t.strictSame(warned(['openai/a', 'groq/b'], { timeoutMs: 5_000 }), [], 'a default follows')
})
