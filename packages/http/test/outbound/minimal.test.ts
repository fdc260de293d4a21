import t from 'tap'

import type { FallbackOptions } from '@understudy/config'
import { chat, fallbackOf, jsonOf, outline, post, providersOn, simulate } from '../kit.js'

const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
const FILE = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }
const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }

async function start(t: Parameters<typeof simulate>[0], options: FallbackOptions) {
  const simulator = await simulate(t)
  const foreign = { dialect: 'anthropic' as const, baseURL: simulator.origin, apiKey: 'k' }
  const providers = { ...providersOn(simulator), foreign }
  const routes = { chat: ['foreign/claude-sonnet-4-5', 'a/one'], alone: ['foreign/claude-sonnet-4-5'] }
  return { simulator, fallback: fallbackOf(t, routes, { providers, ...options }) }
}

t.test('`minimal` says text, images and tools to a leg of another dialect, and leaves it out for anything else', async (t) => {
  const { fallback } = await start(t, { translate: 'minimal' })
  const cases: readonly [body: Readonly<Record<string, unknown>>, feature: string | undefined][] = [
    [{ max_tokens: 5, temperature: 0, top_p: 1, stop: ['x'] }, undefined],
    [{ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, IMAGE] }] }, undefined],
    [{ tools: TOOLS, tool_choice: 'auto' }, undefined],
    [{ tools: TOOLS, stream: true }, 'tools-in-stream'],
    [{ stream: true }, undefined],
    [{ messages: [{ role: 'user', content: [FILE] }] }, 'file'],
    [{ reasoning_effort: 'high' }, 'reasoning'],
    [{ response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } } }, 'response_format'],
  ]
  for (const [body, feature] of cases) {
    const response = await fallback.handle(chat(body))
    const trail = response.headers['understudy-trail']
    t.strictSame(outline(trail), feature === undefined ? ['foreign/claude-sonnet-4-5 served'] : ['foreign/claude-sonnet-4-5 skipped untranslatable', 'a/one served'], JSON.stringify(body))
    if (feature !== undefined) t.match(trail, `feature=${feature};`)
    if (response.body !== undefined && !(response.body instanceof Uint8Array)) await response.body[Symbol.asyncIterator]().return?.()
  }
  t.match(await jsonOf(await fallback.handle(chat({ model: 'alone', reasoning_effort: 'high' }))), { error: { code: 'untranslatable_request', message: /reasoning/ } })
})

t.test('`full`, the default, says all that it has words for, and the client\'s own dialect is no translation', async (t) => {
  const tools = { model: 'alone', stream: true, tools: TOOLS }
  const { fallback } = await start(t, {})
  t.equal((await fallback.handle(chat(tools))).status, 200)
  const own = await start(t, { translate: 'minimal' })
  const body = { model: 'alone', max_tokens: 2_048, stream: true, messages: [{ role: 'user', content: 'x' }], tools: [{ name: 'f', input_schema: { type: 'object' } }], thinking: { type: 'enabled', budget_tokens: 1_024 } }
  t.equal((await own.fallback.handle(post(body, { path: '/v1/messages' }))).status, 200)
})

t.test('`refuse` stops at such a leg, and a model that no path can hold is one', async (t) => {
  const { fallback, simulator } = await start(t, { translate: 'minimal', untranslatable: 'refuse' })
  t.equal((await fallback.handle(chat({ reasoning_effort: 'high' }))).status, 400)
  const google = { dialect: 'gemini' as const, baseURL: simulator.origin, apiKey: 'k' }
  for (const [untranslatable, expected] of [['skip', ['google/.. skipped untranslatable', 'a/.. served']], ['refuse', ['google/.. skipped untranslatable']]] as const) {
    const any = fallbackOf(t, { '*': ['google/*', 'a/*'] }, { providers: { ...providersOn(simulator), google }, untranslatable })
    const response = await any.handle(chat({ model: '..' }))
    t.strictSame(outline(response.headers['understudy-trail']), expected)
    t.match(response.headers['understudy-trail'], 'feature=model;')
  }
  t.strictSame(simulator.calls.map(({ path }) => path), ['/v1/chat/completions'])
})
