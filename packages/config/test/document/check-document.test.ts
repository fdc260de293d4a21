import { checkDocument } from '@understudy/config'
import type { CheckedDocument, KnownChains } from '@understudy/config'
import t from 'tap'

import { resolve } from '../resolve.js'

const open = () => (async function* () {})()
const ROUTES = {
  chat: ['openai/gpt-4o', { provider: 'openai', model: 'small', timeoutMs: 7_000, region: 'eu' }, { name: 'fixed', open }],
  support: { presets: { normal: ['openai/gpt-4o'], local_only: { legs: [{ name: 'fixed', open }], marking: 'degraded' } } },
}
const ABOUT = { version: 7, updated_by: 'ann', reason: 'an incident' }

function known(options: object = {}, routes: unknown = ROUTES): KnownChains {
  return resolve(routes, { callerModels: ['openai/tiny'], ...options }).known
}

function checked(document: unknown, by = known()): CheckedDocument {
  const check = checkDocument(document, by)
  if (check.type === 'wrong') throw new Error(check.issues.map(({ path, message }) => `${path}: ${message}`).join('; '))
  return check.document
}

function wrong(document: unknown, by = known()): readonly string[] {
  const check = checkDocument(document, by)
  return check.type === 'wrong' ? check.issues.map(({ path, message }) => `${path}: ${message}`) : ['right']
}

function chat(...chain: readonly unknown[]): unknown {
  return { ...ABOUT, routes: { chat: { chain } } }
}

t.test('a document is read from a text, with a byte order mark too, and from a value', async (t) => {
  const document = { ...ABOUT, updated_at: '2030-01-31T02:00:00+01:00', routes: { chat: { chain: ['openai/gpt-4o'] } } }
  const { version, updatedBy, reason, updatedAt, json } = checked(document)
  t.strictSame({ version, updatedBy, reason, updatedAt }, { version: 7, updatedBy: 'ann', reason: 'an incident', updatedAt: Date.UTC(2030, 0, 31, 1) })
  t.strictSame(json, document)
  t.not(json, document, 'a copy that nobody else holds')
  for (const text of [JSON.stringify(document), `\uFEFF${JSON.stringify(document, undefined, 2)}\n`]) t.strictSame(checked(text).json, document)
})

t.test('a leg that the code has keeps its settings, any other of a registered provider has those of the route', async (t) => {
  const by = known({ firstContentTimeoutMs: 4_000 })
  const { routes } = checked(chat({ provider: 'openai', model: 'small', region: 'eu' }, 'custom/fixed', 'groq/new', { provider: 'openai', model: 'gpt-4o', timeout_ms: 900 }), by)
  const legs = routes.get('chat')?.presets.get('normal')?.legs ?? []
  t.equal(legs[0], by.routes.get('chat')?.legs[1])
  t.equal(legs[1], by.routes.get('chat')?.legs[2])
  t.match(legs[2], { type: 'provider', provider: { name: 'groq' }, model: 'new', limits: { firstContentTimeoutMs: 4_000 } })
  t.match(legs[3], { model: 'gpt-4o', limits: { firstContentTimeoutMs: 4_000, timeoutMs: 900 } }, 'its own time over that of the code')
  t.equal(by.routes.get('chat')?.legs[0]?.limits.timeoutMs, undefined, 'the leg of the code stays as it is')
})

t.test('the short form stands for the only route', async (t) => {
  const one = known({}, { chat: ['openai/gpt-4o'] })
  const { routes, json } = checked({ ...ABOUT, chain: ['openai/other'] }, one)
  t.match(routes.get('chat')?.presets.get('normal')?.legs, [{ model: 'other' }])
  t.strictSame(json, { ...ABOUT, routes: { chat: { chain: ['openai/other'] } } }, 'it is kept in the long form')
  t.strictSame(wrong({ ...ABOUT, chain: ['openai/other'] }), ['document.chain: there are 2 routes; write routes: { name: { chain } }'])
})

t.test('presets are those of the document, or of the code', async (t) => {
  const own = { presets: { normal: ['openai/gpt-4o'], b: { chain: ['groq/x'], marking: 'so so' } }, active: 'b', expires_at: '2030-01-31T02:00:00Z' }
  const { routes } = checked({ ...ABOUT, routes: { chat: own, support: { active: 'local_only' } } })
  t.match(routes.get('chat'), { active: 'b', expiresAt: Date.UTC(2030, 0, 31, 2) })
  t.strictSame([...(routes.get('chat')?.presets.keys() ?? [])], ['normal', 'b'])
  t.equal(routes.get('chat')?.presets.get('b')?.marking, 'so so')
  t.equal(routes.get('support')?.presets.get('local_only')?.marking, 'degraded')
})

t.test('all that is wrong is said at once: shapes, unknown names and repeated legs', async (t) => {
  t.strictSame(wrong({
    version: '7', updatedby: 'ann', reason: 'r',
    routes: {
      chat: { chain: [{ provider: 'openai', model: 'gpt-4o', timeoutMs: 900 }] },
      support: { active: 'localonly' },
      chta: { chain: 'openai/gpt-4o' },
    },
  }), [
    "document.version: is '7'; it must be a whole number above 0",
    'document.updated_by: is missing; it must be who changes it, at most 200 characters',
    "document.routes.chat.chain[0].timeoutMs: is not known here; did you mean 'timeout_ms'?",
    'document.routes.chta.chain: is \'openai/gpt-4o\'; it must be a list of 1 to 4 legs',
    "document.updatedby: is not known here; did you mean 'updated_by'?",
    "document.routes.support.active: no preset is called 'localonly'; did you mean 'local_only'?",
    "document.routes.chta: no route is called so; did you mean 'chat'?",
  ])
})

t.test('presets without normal are one complaint', async (t) => {
  t.strictSame(wrong({ ...ABOUT, routes: { chat: { presets: { b: ['openai/gpt-4o'] }, active: 'normal' } } }), [
    "document.routes.chat.presets: has no preset 'normal', which every other one goes back to",
  ])
})

t.test('a document may name no route, and an editor may name its schema', async (t) => {
  t.equal(checked({ $schema: './chain-document.schema.json', ...ABOUT, routes: {} }).routes.size, 0)
})

t.test('what is no JSON object is refused without a word of it', async (t) => {
  const cyclic: Record<string, unknown> = {}
  cyclic['self'] = cyclic
  const hostile = { get version(): number { throw new Error('secret') } }
  for (const [document, message] of [
    ['{"legs":[', 'document: is no JSON (line 1, column 10)'],
    ['{\n  "chain": ["a/b",\n  ]\n}', 'document: is no JSON (line 3, column 3)'],
    ['', 'document: is no JSON (line 1, column 1)'],
    ['7', 'document: is a number; it must be a JSON object'],
    ['[]', 'document: is an empty list; it must be a JSON object'],
    [undefined, 'document: is undefined; it must be a JSON object'],
    [cyclic, 'document: cannot be written as JSON'],
    [hostile, 'document: cannot be written as JSON'],
    ['{"__proto__":{}}', 'document: has a member called __proto__, or is nested over 20 levels'],
    [`${'['.repeat(30)}${']'.repeat(30)}`, 'document: is a list; it must be a JSON object'],
    [`"${'x'.repeat(1_048_577)}"`, 'document: has 1048579 characters; at most 1048576 are read'],
  ] as const) t.strictSame(wrong(document), [message])
})

t.test('everything that is wrong is refused, with its path', async (t) => {
  const leg = 'openai/gpt-4o'
  const ROUTE_SHAPE = '"provider/model" or { provider, model }'
  for (const [document, ...messages] of [
    [{ ...ABOUT, version: 1.5, routes: {} }, 'document.version: is 1.5; it must be a whole number above 0'],
    [{ ...ABOUT, version: '7', routes: {} }, "document.version: is '7'; it must be a whole number above 0"],
    [{ ...ABOUT, version: 0, routes: {} }, 'document.version: is 0; it must be a whole number above 0'],
    [{ ...ABOUT, version: null, routes: {} }, 'document.version: is null; it must be a whole number above 0'],
    [{ ...ABOUT, updated_by: '', routes: {} }, 'document.updated_by: is empty; it must be who changes it, at most 200 characters'],
    [{ ...ABOUT, reason: ' ', routes: {} }, "document.reason: is ' '; it must be why it is changed, at most 1000 characters"],
    [{ version: 7, routes: {} }, 'document.updated_by: is missing; it must be who changes it, at most 200 characters', 'document.reason: is missing; it must be why it is changed, at most 1000 characters'],
    [{ ...ABOUT, updated_at: 'yesterday', routes: {} }, "document.updated_at: is 'yesterday'; it must be a time such as 2030-01-31T02:00:00Z"],
    [{ ...ABOUT, version: 9_007_199_254_740_991, routes: {} }, 'document.version: is 9007199254740991; it must be a whole number above 0, at most 9000000000000000'],
    [{ ...ABOUT, updated_at: '9999-12-31T23:59:59Z', routes: {} }, "document.updated_at: is '9999-12-31T23:59:59Z'; it must be a time such as 2030-01-31T02:00:00Z, before the year 2100"],
    [{ ...ABOUT, routes: { support: { active: 'local_only', expires_at: '2100-01-01T00:00:00Z' } } }, "document.routes.support.expires_at: is '2100-01-01T00:00:00Z'; it must be a time such as 2030-01-31T02:00:00Z, before the year 2100"],
    ...['a\nb', 'a\rb', 'a\0b', '\ud800'].flatMap((name) => {
      const shown = JSON.stringify(name).slice(1, -1)
      return [
        [chat({ provider: 'openai', model: name }), `document.routes.chat.chain[0].model: is '${shown}'; it must be the name of a model without line breaks or other control characters`],
        [chat({ provider: 'openai', model: 'a', region: name }), `document.routes.chat.chain[0].region: is '${shown}'; it must be the name of a region without line breaks`],
        [chat(`openai/${name}`), `document.routes.chat.chain[0]: is 'openai/${shown}'; it must be ${ROUTE_SHAPE}, without line breaks or other control characters`],
        [{ ...ABOUT, routes: { chat: { presets: { normal: { chain: [leg], marking: name } }, active: 'normal' } } }, `document.routes.chat.presets.normal.marking: is '${shown}'; it must be a text without line breaks`],
      ] as const
    }),
    [ABOUT, 'document.routes: is missing; it must be an object: route name -> { chain }, { presets, active } or { active }'],
    [{ ...ABOUT, routes: {}, colour: 1 }, 'document.colour: is not known here'],
    [{ legs: [] }, 'document.version: is missing; it must be a whole number above 0', 'document.updated_by: is missing; it must be who changes it, at most 200 characters', 'document.reason: is missing; it must be why it is changed, at most 1000 characters', 'document.routes: is missing; it must be an object: route name -> { chain }, { presets, active } or { active }', 'document.legs: is not known here'],
    [chat(), 'document.routes.chat.chain: is an empty list; it must be a list of 1 to 4 legs'],
    [chat('openai/a', 'openai/b', 'openai/c', 'openai/d', 'openai/e'), 'document.routes.chat.chain: is a list; it must be a list of 1 to 4 legs'],
    [chat('gpt-4o'), `document.routes.chat.chain[0]: is 'gpt-4o'; it must be ${ROUTE_SHAPE}`],
    [chat({ provider: 'openai', model: '' }), 'document.routes.chat.chain[0].model: is empty; it must be the name of a model, at most 200 characters'],
    [chat({ provider: 'openai', model: 'a', timeout_ms: 499 }), 'document.routes.chat.chain[0].timeout_ms: is 499; it must be a whole number of milliseconds from 500 to 120000'],
    [chat({ provider: 'openai', model: 'a', timeout_ms: 120_001 }), 'document.routes.chat.chain[0].timeout_ms: is 120001; it must be a whole number of milliseconds from 500 to 120000'],
    [chat({ provider: 'openai', model: 'a', timeout_ms: '5s' }), "document.routes.chat.chain[0].timeout_ms: is '5s'; it must be a whole number of milliseconds from 500 to 120000"],
    [chat({ provider: 'openai', model: 'a', timeoutMs: 900 }), 'document.routes.chat.chain[0].timeoutMs: is not known here'],
    [chat(leg, { provider: 'openai', model: 'gpt-4o' }), 'document.routes.chat.chain[1]: is a repeated leg: it stands at position 0 already'],
    [chat('opneai/gpt-4o'), "document.routes.chat.chain[0]: provider 'opneai' is not registered in the code; did you mean 'openai'?"],
    [chat('mistral/large'), "document.routes.chat.chain[0]: provider 'mistral' cannot be used in this process: provider 'mistral' has no credent"],
    [chat('custom/fxied'), "document.routes.chat.chain[0]: no custom leg is called 'fxied'; did you mean 'fixed'?"],
    [chat('openai/*'), 'document.routes.chat.chain[0]: keeps the model of each request, which only the code can allow; name a model'],
    [{ ...ABOUT, routes: { chta: { chain: [leg] } } }, "document.routes.chta: no route is called so; did you mean 'chat'?"],
    [{ ...ABOUT, routes: { constructor: { chain: [leg] } } }, "document.routes.constructor: no route is called so; it must be one of chat, support"],
    [{ ...ABOUT, routes: { chat: { presets: { b: [leg] }, active: 'b' } } }, "document.routes.chat.presets: has no preset 'normal', which every other one goes back to"],
    [{ ...ABOUT, routes: { chat: { presets: { normal: [leg], b: { chain: [], marking: '' } }, active: 'normal' } } }, 'document.routes.chat.presets.b.chain: is an empty list; it must be a list of 1 to 4 legs', 'document.routes.chat.presets.b.marking: is empty; it must be a text, at most 100 characters'],
    [{ ...ABOUT, routes: { chat: { presets: { normal: [leg] }, active: 'nromal' } } }, "document.routes.chat.active: no preset is called 'nromal'; did you mean 'normal'?"],
    [{ ...ABOUT, routes: { chat: { presets: { normal: [leg] } } } }, 'document.routes.chat.active: is missing; it must be the name of a preset, at most 200 characters'],
    [{ ...ABOUT, routes: { chat: { active: 'normal' } } }, 'document.routes.chat.active: selects a preset, and neither the code nor the document has any for this route'],
    [{ ...ABOUT, routes: { support: { active: 'local' } } }, "document.routes.support.active: no preset is called 'local'; it must be one of normal, local_only"],
    [{ ...ABOUT, routes: { support: { active: 'local_only', expires_at: 5 } } }, 'document.routes.support.expires_at: is 5; it must be a time such as 2030-01-31T02:00:00Z'],
    [{ ...ABOUT, routes: { chat: { chain: [leg], marking: 'x' } } }, 'document.routes.chat.marking: is not known here'],
    [{ ...ABOUT, routes: { chat: [] } }, 'document.routes.chat: is an empty list; it must be { chain }, { presets, active } or { active }'],
    [{ ...ABOUT, routes: { chat: { chain: ['nobody/x'] }, support: { active: 'x' } } }, "document.routes.chat.chain[0]: provider 'nobody' is not registered in the code; it must be one of", "document.routes.support.active: no preset is called 'x'; it must be one of normal, local_only"],
  ] as const) {
    const found = wrong(document)
    t.strictSame(found.map((line, index) => line.slice(0, messages[index]?.length)), messages, JSON.stringify(document).slice(0, 120))
  }
})

t.test('a route of embeddings stays as the code has it', async (t) => {
  const by = known({}, { chat: ['openai/gpt-4o'], search: { legs: ['openai/text-embedding-3-small'], dimensions: 512 } })
  t.strictSame(wrong({ ...ABOUT, routes: { search: { chain: ['openai/gpt-4o'] } } }, by), [
    'document.routes.search: is a route of embeddings, which only the code can change: vectors of two models cannot be compared',
  ])
  t.equal(checked({ ...ABOUT, chain: ['openai/gpt-4o'] }, by).routes.get('chat')?.active, 'normal', 'it does not count as a route of the short form')
})

t.test("liveChanges: 'presets' allows the selection of a preset of the code, and no other change", async (t) => {
  const by = known({ liveChanges: 'presets' })
  t.equal(checked({ ...ABOUT, routes: { support: { active: 'local_only' } } }, by).routes.get('support')?.active, 'local_only')
  const forbidden = "composes a chain, which liveChanges: 'presets' forbids; select a preset of the code: { active }"
  t.strictSame(wrong(chat('openai/gpt-4o'), by), [`document.routes.chat.chain: ${forbidden}`])
  t.strictSame(wrong({ ...ABOUT, routes: { chat: { presets: { normal: ['openai/gpt-4o'] }, active: 'normal' } } }, by), [`document.routes.chat.presets: ${forbidden}`])
  const one = known({ liveChanges: 'presets' }, { chat: ['openai/gpt-4o'] })
  t.strictSame(wrong({ ...ABOUT, chain: ['openai/gpt-4o'] }, one), [`document.chain: ${forbidden}`])
})

t.test('a preset whose providers have no credentials cannot be selected', async (t) => {
  const routes = { chat: { presets: { normal: ['openai/gpt-4o'], other: ['mistral/large'] } } }
  const by = known({ providerValidation: 'lenient' }, routes)
  t.match(wrong({ ...ABOUT, routes: { chat: { active: 'other' } } }, by), [/active: no leg of the preset 'other' can be used in this process/])
})

t.test('what looks like a key is shown by no issue', async (t) => {
  const key = 'sk-live-0123456789abcdefghijklmnop'
  const lines = wrong(chat(key, { provider: key, model: 'x' }, { provider: 'openai', model: 'x', timeout_ms: key })).join('\n')
  t.notMatch(lines, key)
  t.notMatch(wrong({ ...ABOUT, routes: { [key]: { chain: ['openai/x'] } } }).join('\n'), key)
})
