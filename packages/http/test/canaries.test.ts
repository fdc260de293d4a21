import type { FallbackOptions, RoutesInput } from '@understudy/config'
import type { CustomLeg } from '@understudy/core'
import type { Script } from '@understudy/simulator'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import t from 'tap'
import type { Test } from 'tap'

import { createFallback } from '../src/create-fallback.js'
import { chat, fallbackOf, heard, hangs, iteratorOf, MESSAGES, post, says, simulate, stream, textOf } from './kit.js'
import type { RequestOverrides } from './kit.js'

/** Planted where they belong; none may turn up anywhere else. */
const CANARY = {
  prompt: 'canary-prompt-3f1',
  system: 'canary-system-8b2',
  answer: 'canary-answer-77c',
  reasoning: 'canary-reasoning-5d0',
  apiKey: 'canary-apikey-19e',
  providerHeader: 'canary-provider-header-aa4',
  defaults: 'canary-defaults-60d',
  urlUser: 'canary-url-user-41b',
  authorization: 'canary-authorization-2e8',
  cookie: 'canary-cookie-9c1',
  callerKey: 'canary-caller-key-d37',
  callerHeader: 'canary-caller-header-0b6',
  thrown: 'canary-thrown-f25',
} as const

type Canary = keyof typeof CANARY

const HEADERS = {
  'x-request-id': 'r-1',
  authorization: `Bearer ${CANARY.authorization}`,
  cookie: `session=${CANARY.cookie}`,
  'x-api-key': CANARY.callerKey,
  'x-caller': CANARY.callerHeader,
}

const PROMPT = { messages: [{ role: 'system', content: CANARY.system }, { role: 'user', content: CANARY.prompt }] }

/** A provider that repeats all it knows where it says what went wrong. */
const ECHO = Object.values(CANARY).join(' ')

/** Everything that is said of runs: events, channels, log, warnings, snapshots. */
function eavesdrop(t: Test) {
  const said: unknown[] = []
  const hear = (message: unknown) => void said.push(message)
  const types = ['attempt-start', 'attempt-failure', 'leg-skipped', 'failover', 'run-commit', 'run-end']
  for (const type of types) subscribe(`understudy:${type}`, hear)
  const onWarning = (warning: Error) => void said.push(warning)
  process.on('warning', onWarning)
  t.teardown(() => {
    for (const type of types) unsubscribe(`understudy:${type}`, hear)
    process.off('warning', onWarning)
  })
  const line = (fields: unknown, message: string) => void said.push(fields, message)
  return { said, hear, logger: { debug: line, info: line, warn: line, error: line } }
}

function found(said: unknown, but: readonly Canary[] = []): readonly string[] {
  const text = typeof said === 'string' ? said : inspect(said, { depth: Infinity, showHidden: true, maxStringLength: Infinity, maxArrayLength: Infinity })
  return (Object.keys(CANARY) as Canary[]).filter((name) => !but.includes(name) && text.includes(CANARY[name]))
}

/** Runs these requests and gives what was said beside the answers, and the answers. */
async function overhear(t: Test, routes: RoutesInput, options: FallbackOptions, play: (ask: (stream: boolean, overrides?: RequestOverrides & { model?: string, leave?: boolean }) => Promise<void>) => Promise<void>) {
  const { said, hear, logger } = eavesdrop(t)
  const fallback = fallbackOf(t, routes, { logger, ...options })
  fallback.on(hear)
  const heads: unknown[] = []
  const bodies: string[] = []
  await play(async (streamed, { model = 'chat', leave = false, ...overrides } = {}) => {
    const request = (streamed ? stream : chat)({ model, ...PROMPT }, { headers: HEADERS, ...overrides })
    const answering = fallback.handle(request)
    if (leave && !streamed) request.leave()
    const response = await answering
    heads.push([response.status, response.headers])
    if (leave && streamed) {
      const reader = iteratorOf(response)
      await reader.next()
      request.leave()
      await reader.return?.()
      return
    }
    bodies.push(await textOf(response))
  })
  await heard()
  said.push(fallback.snapshot())
  t.ok(said.length > 1, 'there was something to overhear')
  return { said, heads, bodies }
}

async function provider(t: Test, models: Script['models']) {
  const { url } = await simulate(t, { models })
  const own = { dialect: 'openai' as const, baseURL: url, apiKey: CANARY.apiKey, headers: { 'x-own': CANARY.providerHeader } }
  return { providers: { a: own, b: own }, defaults: { user: CANARY.defaults } }
}

const ANSWER = { answer: { text: CANARY.answer, reasoning: [CANARY.reasoning] } }
const SAYS_ALL = { message: ECHO, type: 'server_error' }
const BROKEN = [
  { status: 500, error: SAYS_ALL },
  { status: 401, error: SAYS_ALL, headers: { 'x-request-id': 'theirs' } },
  { status: 429, error: SAYS_ALL, headers: { 'retry-after': '1' } },
  { status: 503, body: ECHO },
  { status: 500, html: true as const },
  { body: { error: SAYS_ALL } },
  { body: ECHO },
  { ...ANSWER, fault: { do: 'close' as const, afterBytes: 200 } },
  { connect: 'reset_before_headers' as const },
]

t.test('a request that is served, streamed and buffered', async (t) => {
  const options = await provider(t, { 'm-1': [ANSWER] })
  const { said, heads, bodies } = await overhear(t, { chat: ['a/m-1'] }, options, async (ask) => {
    await ask(true)
    await ask(false)
  })
  t.strictSame([found(said), found(heads)], [[], []])
  t.strictSame(found(bodies, ['answer', 'reasoning']), [], 'the answer is all that an answer holds')
  t.ok(bodies.every((body) => body.includes(CANARY.answer)))
})

t.test('failures before the commit, rescued and not', async (t) => {
  for (const step of BROKEN) {
    const options = await provider(t, { 'm-1': [step], 'm-2': [ANSWER], 'm-3': [step] })
    const routes = { chat: ['a/m-1', 'b/m-2'], down: ['a/m-1', 'b/m-3'] }
    const { said, heads, bodies } = await overhear(t, routes, options, async (ask) => {
      for (const streamed of [true, false]) {
        await ask(streamed)
        await ask(streamed, { model: 'down' })
      }
    })
    t.strictSame([found(said), found(heads), found(bodies, ['answer', 'reasoning'])], [[], [], []], JSON.stringify(step))
  }
})

/** The other surfaces: how each is asked, what shows that it answered, and when its own leg has said half. */
const OTHERS = [
  { vendor: 'anthropic', asked: asMessages, shows: /"type":"(message|error)"/, halfBehind: 5, defaults: { metadata: { user_id: CANARY.defaults } } },
  { vendor: 'gemini', asked: asContents, shows: /"candidates":|"status":"/, halfBehind: 2, defaults: { labels: { user: CANARY.defaults } } },
  { vendor: 'responses', asked: asItems, shows: /"object":"response"|"code":"/, halfBehind: 6, defaults: { metadata: { user: CANARY.defaults } } },
] as const

for (const { vendor, asked, shows, halfBehind, defaults } of OTHERS) {
  t.test(`the same towards clients of ${vendor}, by legs of either dialect`, async (t) => {
    const half = { answer: { text: ['one ', 'two ', CANARY.answer] }, fault: { do: 'error_event', afterEvents: halfBehind, error: SAYS_ALL }, eventDelayMs: 0 } as const
    for (const step of [ANSWER, ...BROKEN, half]) {
      const { url } = await simulate(t, { models: { 'm-1': [step], 'm-2': [ANSWER], 'm-3': [step] } })
      const own = { baseURL: url, apiKey: CANARY.apiKey, headers: { 'x-own': CANARY.providerHeader } }
      const providers = { own: { ...own, dialect: vendor }, o: { ...own, dialect: 'openai' as const } }
      const routes = { chat: ['own/m-1', 'o/m-2'], other: ['o/m-1', 'own/m-2'], down: ['own/m-1', 'o/m-3'] }
      const { said, heads, bodies } = await overhear(t, routes, { providers, defaults }, async (ask) => {
        for (const model of Object.keys(routes)) {
          for (const streamed of [true, false]) await ask(streamed, asked(model, streamed))
        }
        await ask(false, asked('other', false, CANARY.prompt))
      })
      t.match(bodies.at(-1), shows, 'it was that surface')
      t.strictSame([found(said), found(heads), found(bodies, ['answer', 'reasoning'])], [[], [], []], JSON.stringify(step))
    }
  })
}

/** The prompt as Anthropic's clients send it; `unsaid` is what a leg of OpenAI has no words for. */
function asMessages(model: string, streamed: boolean, unsaid?: string): RequestOverrides {
  const messages = [{ role: 'user', content: CANARY.prompt }]
  return at('/v1/messages', { model, max_tokens: 9, stream: streamed, system: CANARY.system, messages, container: unsaid })
}

/** The same as clients of OpenAI's Responses API send it; what they put into `instructions` they are told again. */
function asItems(model: string, streamed: boolean, unsaid?: string): RequestOverrides {
  const input = [{ role: 'developer', content: CANARY.system }, { role: 'user', content: CANARY.prompt }]
  return at('/v1/responses', { model, stream: streamed, input, conversation: unsaid })
}

/** The same as Gemini's clients send it; `chat` streams as one array, the others as events. */
function asContents(model: string, streamed: boolean, unsaid?: string): RequestOverrides {
  const contents = [{ role: 'user', parts: [{ text: CANARY.prompt }] }]
  const path = `/v1beta/models/${model}:${streamed ? 'streamGenerateContent' : 'generateContent'}`
  const body = { systemInstruction: { parts: [{ text: CANARY.system }] }, contents, cachedContent: unsaid }
  return { ...at(path, body), query: model === 'chat' ? '' : 'alt=sse' }
}

function at(path: string, body: object): RequestOverrides {
  const bytes = Buffer.from(JSON.stringify(body))
  const headers = { ...HEADERS, 'x-goog-api-key': CANARY.callerKey }
  return { path, headers, readBody: () => Promise.resolve({ type: 'bytes', bytes }) }
}

t.test('failures in the middle of a stream', async (t) => {
  const faults = [
    { do: 'error_event', afterEvents: 2, error: SAYS_ALL },
    { do: 'malformed_text', afterEvents: 2 },
    { do: 'reset', afterEvents: 2 },
    { do: 'end', afterEvents: 2 },
  ] as const
  for (const fault of faults) {
    const options = await provider(t, { 'm-1': [{ answer: { text: ['one ', 'two ', CANARY.answer] }, fault, eventDelayMs: 0 }] })
    const { said, heads, bodies } = await overhear(t, { chat: ['a/m-1'] }, options, (ask) => ask(true))
    t.strictSame([found(said), found(heads), found(bodies, ['answer'])], [[], [], []], fault.do)
    t.match(bodies[0], /"error"/)
  }
})

t.test('a request fault tells its client what the provider said, and nobody else', async (t) => {
  const options = await provider(t, { 'm-1': [{ status: 400, error: { message: `near: ${CANARY.prompt}, key sk-proj-aBcDeFgHiJkLmNoPqRsTuVwX0123456789` } }] })
  const { said, heads, bodies } = await overhear(t, { chat: ['a/m-1'] }, options, async (ask) => {
    await ask(true)
    await ask(false)
  })
  t.strictSame([found(said), found(heads), found(bodies, ['prompt'])], [[], [], []])
  t.ok(bodies.every((body) => body.includes(CANARY.prompt) && !body.includes('sk-proj')))
})

t.test('a code that looks like a credential is none', async (t) => {
  const key = 'sk-proj-aBcDeFgHiJkLmNoPqRsTuVwX0123456789'
  const options = await provider(t, { 'm-1': [{ status: 400, error: { code: key, type: 'bad_key' } }] })
  const { said, heads, bodies } = await overhear(t, { chat: ['a/m-1'] }, options, (ask) => ask(false))
  t.notMatch(inspect([said, heads, bodies], { depth: Infinity }), /aBcDeF/)
  t.match(JSON.parse(bodies[0] ?? ''), { error: { code: 'bad_key' } })
})

t.test('clients that leave, before and after the commit', async (t) => {
  const options = await provider(t, { 'm-1': [{ ...ANSWER, eventDelayMs: 20 }] })
  const { said, heads } = await overhear(t, { chat: ['a/m-1'], own: [hangs('own')] }, options, async (ask) => {
    await ask(true, { leave: true })
    await ask(false, { leave: true })
    await ask(false, { model: 'own', leave: true })
  })
  t.strictSame([found(said), found(heads)], [[], []])
})

t.test('bodies that are refused, and names that nobody knows', async (t) => {
  const { logger, said, hear } = eavesdrop(t)
  const fallback = fallbackOf(t, { chat: [says('own', 'Hi')], other: [says('other', 'Hi')] }, { logger })
  fallback.on(hear)
  const good = JSON.stringify({ model: 'chat', ...PROMPT })
  const broken = [
    good.slice(0, -1),
    `${good}}`,
    JSON.stringify([CANARY.prompt]),
    JSON.stringify({ ...PROMPT, model: 5 }),
    JSON.stringify({ model: 'chat', messages: [{ role: CANARY.prompt, content: { [CANARY.system]: 1 } }] }),
    JSON.stringify({ model: 'chat', messages: MESSAGES, tools: [{ function: { description: CANARY.prompt } }] }),
  ]
  for (const body of broken) {
    const response = await fallback.handle(post(body, { headers: HEADERS }))
    t.equal(response.status, 400, body)
    t.strictSame([found(response.headers), found(await textOf(response))], [[], []], body)
  }
  const unknown = await fallback.handle(chat({ model: CANARY.prompt }, { headers: HEADERS }))
  t.strictSame([unknown.status, found(unknown.headers)], [404, []])
  await heard()
  t.strictSame(found([said, fallback.snapshot()]), [])
})

t.test('legs that throw everything they know, and faults of our own', async (t) => {
  class ApiError extends Error {
    readonly status = 500
    readonly headers = HEADERS
    readonly code = CANARY.thrown.replace('-', ' ')
    readonly request = PROMPT
  }
  const throws: CustomLeg = { name: 'throws', open: () => Promise.reject(new ApiError(ECHO, { cause: new Error(ECHO) })) }
  const breaks: CustomLeg = {
    name: 'breaks',
    async *open() {
      yield CANARY.answer
      throw new ApiError(ECHO)
    },
  }
  const unwritable: CustomLeg = {
    name: 'unwritable',
    async *open() {
      const toString = () => {
        throw new TypeError(ECHO)
      }
      yield { type: 'text', text: { toString, toJSON: toString } as never }
    },
  }
  const routes = { chat: [throws], breaks: [breaks], unwritable: [unwritable] }
  const { said, heads, bodies } = await overhear(t, routes, {}, async (ask) => {
    for (const streamed of [true, false]) {
      for (const model of Object.keys(routes)) await ask(streamed, { model })
      await ask(streamed, { readBody: () => Promise.reject(new Error(ECHO)) })
    }
  })
  t.strictSame([found(said), found(heads), found(bodies, ['answer'])], [[], [], []])
})

t.test('a fallback that is printed, and errors of its making', async (t) => {
  const own = { dialect: 'openai' as const, baseURL: 'http://127.0.0.1:1/v1', apiKey: CANARY.apiKey, headers: { 'x-own': CANARY.providerHeader } }
  const fallback = fallbackOf(t, { chat: ['a/m-1'] }, { providers: { a: own }, proxy: `http://${CANARY.urlUser}:${CANARY.thrown}@127.0.0.1:1` })
  t.strictSame(found(fallback), [])
  t.strictSame(found(JSON.stringify(fallback)), [])
  const wrong: readonly FallbackOptions[] = [
    { providers: { a: { ...own, baseURL: `http://${CANARY.urlUser}@127.0.0.1` } } },
    { providers: { a: { ...own, headers: { 'x-own': `${CANARY.providerHeader}\n` } } } },
    { providers: { a: { ...own, apiKey: { key: CANARY.apiKey } as never } } },
    { providers: { a: own }, proxy: `${CANARY.urlUser} ${CANARY.thrown}` },
    { providers: { a: own }, retries: -1 },
  ]
  for (const options of wrong) {
    let thrown: unknown
    try {
      createFallback({ chat: ['a/m-1'] }, options)
    } catch (error) {
      thrown = error
    }
    t.ok(thrown instanceof Error, JSON.stringify(options))
    t.strictSame(found(thrown), [], 'its message, stack and members')
  }
})
