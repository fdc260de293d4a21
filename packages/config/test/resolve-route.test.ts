import t from 'tap'
import { issueOf, resolve } from './resolve.js'

function route(written: object, options?: object) {
  return resolve({ chat: { legs: ['openai/x'], ...written } }, options).routes.get('chat')
}

function issue(written: object) {
  return issueOf({ chat: { legs: ['openai/x'], ...written } })
}

t.test('a route that says nothing has every default', async (t) => {
  t.strictSame(route({})?.settings, {
    advanceOn: new Set([
      'connection_error', 'timeout', 'rate_limit', 'overloaded', 'server_error', 'auth_error', 'not_found',
      'context_length', 'malformed', 'empty', 'truncated',
    ]),
    idempotency: 'always',
    commit: 'first_content',
    bufferedVia: 'json',
    order: 'configured',
    retries: 0,
    retryOn: new Set(['rate_limit', 'connection_error', 'server_error', 'overloaded']),
    maxRetryAfterMs: 5_000,
    waitingComment: false,
    untranslatable: 'skip',
    translate: 'full',
    limits: {},
    defaults: {},
  })
})

t.test('the leg wins over the route, the route over the options', async (t) => {
  const resolved = route(
    {
      legs: [{ provider: 'openai', model: 'x', timeoutMs: 1, retries: 1, defaults: { a: 1 } }, 'openai/y'],
      timeoutMs: 2, idleTimeoutMs: 2, retries: 2, deadlineMs: 300, maxStreamMs: false, defaults: { a: 2, b: 2 },
      waitingComment: false,
    },
    {
      timeoutMs: 3, idleTimeoutMs: 3, connectTimeoutMs: 3, retries: 3, deadlineMs: false, windowMs: 0, maxStreamMs: 3,
      defaults: { a: 3, b: 3, c: 3 }, waitingComment: { afterMs: 3 }, commit: 'complete', maxRetryAfterMs: false,
    },
  )
  t.match(resolved?.settings, {
    limits: { deadlineMs: 300, windowMs: 0 }, retries: 2, waitingComment: false, commit: 'complete',
    maxRetryAfterMs: false,
  })
  t.strictSame(resolved?.legs.map(({ limits, defaults, retries }) => ({ limits, defaults, retries })), [
    {
      limits: { timeoutMs: 1, idleTimeoutMs: 2, connectTimeoutMs: 3, maxStreamMs: false },
      defaults: { a: 1, b: 2, c: 3 },
      retries: 1,
    },
    {
      limits: { timeoutMs: 2, idleTimeoutMs: 2, connectTimeoutMs: 3, maxStreamMs: false },
      defaults: { a: 2, b: 2, c: 3 },
      retries: 2,
    },
  ])
})

t.test('a member that is undefined says nothing', async (t) => {
  t.equal(route({ retries: undefined }, { retries: 3 })?.settings.retries, 3)
})

t.test('limits are whole milliseconds above 0', async (t) => {
  for (const key of [
    'connectTimeoutMs', 'firstContentTimeoutMs', 'idleTimeoutMs', 'timeoutMs', 'finishGraceMs', 'minAttemptMs',
  ]) {
    for (const [value, shown] of [
      [-1, '-1'], [0, '0'], [NaN, 'NaN'], ['5s', '\'5s\''], [Infinity, 'Infinity'], [1.5, '1.5'],
      [2 ** 31, '2147483648'],
      [false, 'false'], [null, 'null'],
    ]) {
      t.equal(
        issue({ [key]: value }),
        `routes.chat.${key}: is ${String(shown)}; `
          + 'it must be a whole number of milliseconds above 0 (at most 2147483647)',
      )
    }
  }
})

t.test('a deadline that leaves no attempt its least is refused, wherever the two are written', async (t) => {
  const refused = 'routes.chat.deadlineMs: is 249, which is less than the 250 (minAttemptMs) that a leg has to '
    + 'have left to be started; raise it, or lower minAttemptMs'
  t.equal(issue({ deadlineMs: 249 }), refused)
  t.equal(issueOf({ chat: ['openai/x'] }, { deadlineMs: 249 }), refused)
  t.match(issueOf({ chat: { legs: ['openai/x'], minAttemptMs: 900 } }, { deadlineMs: 899 }), /less than the 900 \(minAttemptMs\)/)
  t.equal(issue({ deadlineMs: 250 }), '')
  t.equal(issue({ deadlineMs: 20, minAttemptMs: 20 }), '')
})

t.test('some may be switched off, and one may be 0', async (t) => {
  for (const key of ['deadlineMs', 'maxStreamMs', 'maxRetryAfterMs']) {
    t.equal(issue({ [key]: false }), '')
    for (const value of [-1, 0, NaN, '5s', Infinity, 1.5, true]) t.match(issue({ [key]: value }), 'or false for none')
  }
  t.equal(issue({ windowMs: 0 }), '')
  for (const value of [-1, NaN, '5s', Infinity, 1.5, false]) {
    t.match(issue({ windowMs: value }), 'it must be a whole number of milliseconds, 0 or more')
  }
})

t.test('what moves on is a named set or a list of kinds', async (t) => {
  t.strictSame(route({ advanceOn: 'retryable' })?.settings.advanceOn, new Set([
    'connection_error', 'timeout', 'rate_limit', 'overloaded', 'server_error',
  ]))
  t.strictSame(route({ advanceOn: ['timeout'] })?.settings.advanceOn, new Set(['timeout']))
  t.strictSame(route({ retryOn: ['timeout'] })?.settings.retryOn, new Set(['timeout']))
  t.match(
    issue({ advanceOn: 'never' }),
    'is \'never\'; it must be one of leg_faults, any, retryable, triggers, or a list',
  )
  t.match(
    issue({ advanceOn: ['tiemout'] }),
    'holds \'tiemout\', which is none of the failure kinds; did you mean \'timeout\'?',
  )
  t.match(issue({ advanceOn: ['aborted'] }), 'holds \'aborted\', which is none of the failure kinds')
  t.match(issue({ advanceOn: [5] }), 'holds 5; it must be one of connection_error')
  t.match(issue({ retryOn: 'timeout' }), 'is \'timeout\'; it must be a list of failure kinds')
})

t.test('words that do not exist, or not yet, are refused with those that do', async (t) => {
  t.equal(
    issue({ idempotency: 'once' }),
    'routes.chat.idempotency: is \'once\'; it must be one of always, safe, never',
  )
  t.equal(
    issue({ commit: 'content' }),
    'routes.chat.commit: is \'content\'; it must be one of first_content, first_chunk, established, complete',
  )
  t.match(issue({ bufferedVia: 'sse' }), 'it must be one of json, stream')
  t.match(issue({ tiers: [] }), 'routes.chat.tiers: is not known')
})

t.test('a leg without words for a request is left out, or refuses it', async (t) => {
  t.equal(route({ untranslatable: 'refuse' })?.settings.untranslatable, 'refuse')
  t.match(issue({ untranslatable: 'stop' }), 'routes.chat.untranslatable: is \'stop\'; it must be one of skip, refuse')
})

t.test('a waiting comment has a delay, or is off', async (t) => {
  t.strictSame(route({ waitingComment: { afterMs: 5 } })?.settings.waitingComment, { afterMs: 5 })
  t.match(issue({ waitingComment: true }), 'routes.chat.waitingComment: is true; it must be { afterMs } or false')
  t.match(issue({ waitingComment: {} }), 'routes.chat.waitingComment.afterMs: is missing')
  t.match(issue({ waitingComment: { afterMs: 5, after: 5 } }), 'routes.chat.waitingComment.after: is not known')
})

t.test('defaults are JSON parameters, and not what is said elsewhere', async (t) => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle
  t.match(issue({ defaults: { cycle } }), 'routes.chat.defaults.cycle: is not plain JSON data')
  for (const value of [() => {}, NaN, 1n, new Date(), Symbol('x'), [undefined]]) {
    t.match(issue({ defaults: { value } }), 'routes.chat.defaults.value: is not plain JSON data')
  }
  for (const key of ['model', 'messages', 'stream']) {
    t.match(issue({ defaults: { [key]: 'x' } }), `routes.chat.defaults.${key}: cannot be a default`)
  }
  t.match(issue({ defaults: [] }), 'routes.chat.defaults: is an empty list; it must be an object of parameters')
  t.strictSame(
    route({ defaults: { a: null, b: undefined, c: [{ d: '' }] } })?.settings.defaults,
    { a: null, c: [{ d: '' }] },
  )
})

t.test('a route has a leg at least, and none twice', async (t) => {
  t.match(issueOf({ chat: [] }), 'routes.chat: is an empty list; it must be a list of legs, at least one')
  t.match(
    issueOf({ chat: { legs: [] } }),
    'routes.chat.legs: is an empty list; it must be a list of legs, at least one',
  )
  t.match(issueOf({ chat: {} }), 'routes.chat.legs: is missing; it must be a list of legs')
  t.match(issueOf({ chat: 'openai/x' }), 'routes.chat: is \'openai/x\'; it must be a list of legs')
  t.equal(
    issueOf({ chat: ['openai/x', 'openai/y', 'openai/x'] }),
    'routes.chat[2]: is a repeated leg: \'openai/x\' stands at position 0 already',
  )
  t.match(
    issueOf({ chat: ['openai/x', { provider: 'openai', model: 'x', timeoutMs: 5 }] }),
    'routes.chat[1]: is a repeated leg',
  )
  t.equal(
    issueOf({ chat: ['openai/x', { provider: 'openai', model: 'x', region: 'eu' }] }),
    '',
    'another region is another leg',
  )
  t.equal(issueOf({ chat: ['openai/x'], more: ['openai/x'] }), '', 'and another route another chain')
})

t.test('a route may have an order of its own', async (t) => {
  const order = (candidates: readonly unknown[]) => candidates
  const routes = { plain: ['openai/x'], own: { legs: ['openai/x'], order }, named: { legs: ['openai/x'], order: 'cost' } }
  const orderOf = (options?: unknown) => [...resolve(routes, options).routes.values()].map(({ settings }) => settings.order)
  t.strictSame([orderOf(), orderOf({ order: 'latency' })], [['configured', order, 'cost'], ['latency', order, 'cost']])
  t.match(issueOf({ chat: { legs: ['openai/x'], order: 'cheapest' } }), /^routes.chat.order: is 'cheapest'; it must be one of configured, health/)
})

t.test('a route may hold presets, of which one is selected', async (t) => {
  const presets = { normal: ['openai/x', 'groq/y'], local_only: { legs: ['groq/y'], marking: 'degraded' } }
  const routeOf = (more: object = {}) => resolve({ chat: { presets, timeoutMs: 900, ...more } }).routes.get('chat')
  const outline = (route: ReturnType<typeof routeOf>) => [route?.preset, route?.legs.length, route?.marking]
  t.strictSame([outline(routeOf()), outline(routeOf({ active: 'local_only' }))], [['normal', 2, undefined], ['local_only', 1, 'degraded']])
  t.match(routeOf()?.presets?.get('local_only'), { legs: [{ model: 'y', limits: { timeoutMs: 900 } }], marking: 'degraded' })
  t.equal(resolve({ chat: ['openai/x'] }).routes.get('chat')?.presets, undefined)
})

t.test('presets that cannot be right stop the mount', async (t) => {
  const normal = ['openai/x']
  t.strictSame([
    { presets: { other: normal } },
    { presets: {} },
    { presets: [] },
    { presets: 'normal' },
    { presets: { normal: [] } },
    { presets: { normal: { legs: [], marking: '' } } },
    { presets: { normal: { marking: 'x' } } },
    { presets: { normal: { chain: normal } } },
    { presets: { normal: 'openai/x' } },
    { presets: { normal: ['openai/x', 'openai/x'] } },
    { presets: { normal: ['opneai/x'] } },
    { presets: { normal, '': normal } },
    { presets: { normal }, active: 'nromal' },
    { presets: { normal }, active: 5 },
    { presets: { normal }, legs: normal },
    { legs: normal, active: 'normal' },
  ].map((route) => issueOf({ chat: route })), [
    "routes.chat.presets: has no preset 'normal', which every other one goes back to",
    "routes.chat.presets: has no preset 'normal', which every other one goes back to",
    'routes.chat.presets: is an empty list; it must be an object: preset name -> legs, with normal among them',
    "routes.chat.presets: is 'normal'; it must be an object: preset name -> legs, with normal among them",
    "routes.chat.presets.normal: is an empty list; it must be a list of legs, at least one: ['openai/gpt-4o', ...]",
    'routes.chat.presets.normal.marking: is empty; it must be a text of at most 100 characters, without line breaks or other control characters',
    "routes.chat.presets.normal.legs: is missing; it must be a list of legs, at least one: ['openai/gpt-4o', ...]",
    "routes.chat.presets.normal.chain: is not known; it must be one of legs, marking",
    'routes.chat.presets.normal: is a string; it must be a plain object',
    "routes.chat.presets.normal[1]: is a repeated leg: 'openai/x' stands at position 0 already",
    "routes.chat.presets.normal[0]: provider 'opneai' is not known; did you mean 'openai'? (describe one of your own in options.providers)",
    "routes.chat.presets['']: the name is empty; it must be a text",
    "routes.chat.active: no preset is called 'nromal'; did you mean 'normal'?",
    'routes.chat.active: is 5; it must be the name of a preset',
    'routes.chat.legs: stands beside presets; make it the preset normal',
    'routes.chat.active: selects a preset, and the route has no presets',
  ])
})

t.test('dimensions is known where a route is written', async (t) => {
  t.equal(issueOf({ chat: { legs: ['openai/a'], dimension: 3 } }), "routes.chat.dimension: is not known; did you mean 'dimensions'?")
  t.match(issueOf({ chat: { legs: ['openai/a'], nothingLikeIt: 3 } }), /is not known; it must be one of .*, dimensions$/)
  t.match(issueOf({ chat: { legs: ['openai/a'], dimensions: undefined } }), 'routes.chat.dimensions: is undefined; it must be a whole number')
})
