import t from 'tap'
import type { Part } from '@understudy/core'
import { anthropic, gemini, openai, responses } from '@understudy/dialects'

const OPTIONS = { id: 'id', created: 1, includeUsage: true, model: 'm' }

/** More than a call takes arguments. */
const MANY = 150_000

const many = <Item>(item: Item): readonly Item[] => Array.from({ length: MANY }, () => item)

const text = { type: 'text', text: 'x' }

const SOURCES = [
  [openai, { model: 'm', messages: [{ role: 'system', content: many(text) }, { role: 'user', content: many(text) }, { role: 'user', content: many(text) }] }],
  [anthropic, { model: 'm', system: many(text), messages: [{ role: 'user', content: many(text) }, { role: 'user', content: many(text) }] }],
  [gemini, { model: 'm', contents: [{ role: 'user', parts: many({ text: 'x' }) }, { role: 'user', parts: many({ text: 'x' }) }] }],
  [responses, { model: 'm', input: [{ role: 'user', content: many({ type: 'input_text', text: 'x' }) }, { role: 'assistant', content: many({ type: 'output_text', text: 'x' }) }, ...many({ role: 'user', content: 'x' })] }],
] as const

for (const [source, body] of SOURCES) {
  t.test(`a request of ${source.name} with very many blocks can be said in every dialect`, async (t) => {
    for (const target of [openai, responses, anthropic, gemini]) {
      t.ok(JSON.stringify(target.encodeRequest(source.decodeRequest(body), 'm')).length > 2 * MANY, target.name)
    }
  })
}

/** How long it keeps a processor busy, in ms. */
function busyMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

t.test('the time for an answer with very many calls grows as they do, however their pieces are mixed', async (t) => {
  const indexes = Array.from({ length: 40_000 }, (_, index) => index)
  const openers = indexes.map((index): Part => ({ type: 'tool-call', index, id: `c${index}`, name: 'f', arguments: '{' }))
  const closers = indexes.map((index): Part => ({ type: 'tool-call', index, arguments: '}' }))
  const parts: readonly Part[] = [...openers, ...closers, { type: 'finish', reason: 'tool_calls' }, { type: 'end' }]
  for (const codec of [openai, responses, anthropic, gemini]) {
    t.ok(busyMs(() => codec.encodeResponse(parts, OPTIONS)) < 1_500, `${codec.name}, whole`)
    const encoder = codec.createStreamEncoder(OPTIONS)
    t.ok(busyMs(() => parts.forEach((part) => encoder.push([part])) ?? encoder.end()) < 1_500, `${codec.name}, streamed`)
  }
})

t.test('the time to read very many calls and their results grows as they do', async (t) => {
  const indexes = Array.from({ length: 40_000 }, (_, index) => index)
  const calls = indexes.map((index) => ({ functionCall: { id: `c${index}`, name: 'f', args: {} } }))
  const results = indexes.toReversed().map((index) => ({ functionResponse: { id: `c${index}`, name: 'f', response: { result: 'x' } } }))
  const body = { model: 'm', contents: [{ role: 'model', parts: calls }, { role: 'user', parts: results }] }
  t.ok(busyMs(() => gemini.decodeRequest(body).messages.at(-1)) < 1_500)
})
