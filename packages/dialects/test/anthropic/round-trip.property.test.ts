import fc from 'fast-check'
import t from 'tap'
import { callPieces, interleaved } from '../interleaved.js'
import type { ChatRequest, Part } from '@understudy/core'
import { anthropic, openai } from '@understudy/dialects'
import { replay } from '../replay.js'

type Json = Record<string, unknown>

/** A model that takes everything that is made up here. */
const MODEL = 'claude-3-7-sonnet-latest'

const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '')
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const input = fc.dictionary(id, fc.oneof(fc.integer(), text, fc.boolean()), { maxKeys: 3, noNullPrototype: true })
const textBlock = text.map((value) => ({ type: 'text', text: value }))
const base64 = fc.base64String({ minLength: 4, maxLength: 12 })
const media = fc.oneof(
  base64.map((data) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })),
  id.map((name) => ({ type: 'image', source: { type: 'url', url: `https://host/${name}` } })),
  fc.record({ data: base64, title: id }).map(({ data, title }) => ({
    type: 'document', source: { type: 'base64', media_type: 'application/pdf', data }, title,
  })),
)
const thought = fc.record({ text, signature: id }).map((value) => ({ type: 'thinking', thinking: value.text, signature: value.signature }))
const proven = fc.oneof(thought, id.map((data) => ({ type: 'redacted_thinking', data })))

/** As the encoder writes it: a lone text is a string. */
function content(blocks: readonly Json[]): unknown {
  const [first] = blocks
  return blocks.length === 1 && first?.['type'] === 'text' ? first['text'] : blocks
}

/** A user's turn, then turns of the assistant with or without calls, each answered by the user's. */
function conversation({ withMedia, withThoughts }: { readonly withMedia: boolean, readonly withThoughts: boolean }) {
  const asked = fc.array(withMedia ? fc.oneof(textBlock, media) : textBlock, { minLength: 1, maxLength: 3 })
  const said = fc.record({
    thoughts: withThoughts ? fc.array(proven, { maxLength: 2 }) : fc.constant([]),
    texts: fc.array(textBlock, { minLength: 1, maxLength: 2 }),
    calls: fc.array(fc.record({ id, name: id, input, result: fc.option(text), failed: fc.boolean() }), { maxLength: 2 }),
    next: asked,
  })
  return fc.record({ first: asked, rounds: fc.array(said, { maxLength: 3 }) }).map(({ first, rounds }) => [
    { role: 'user', content: content(first) },
    ...rounds.flatMap(({ thoughts, texts, calls, next }) => [
      { role: 'assistant', content: content([
        ...thoughts, ...texts, ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: call.input })),
      ]) },
      { role: 'user', content: content([
        ...calls.map(({ id: callId, result, failed }) => ({
          type: 'tool_result',
          tool_use_id: callId,
          ...(result === null ? {} : { content: result }),
          ...(failed && withThoughts ? { is_error: true } : {}),
        })),
        ...next,
      ]) },
    ]),
  ])
}

/** Fields that both dialects have words for. */
const shared = {
  max_tokens: fc.integer({ min: 1, max: 16_000 }),
  system: text,
  stream: fc.constant(true),
  stop_sequences: fc.array(text, { minLength: 1, maxLength: 4 }),
  temperature: fc.constantFrom(0, 0.5, 1),
  top_p: fc.constantFrom(0.1, 1),
}
const tool = fc.record(
  { name: id, description: text, input_schema: fc.constant({ type: 'object', properties: {}, additionalProperties: false }), strict: fc.boolean() },
  { requiredKeys: ['name', 'input_schema'], noNullPrototype: true },
)
const toolFields = fc.record(
  {
    tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
    tool_choice: fc.oneof(
      fc.constantFrom<Json>({ type: 'auto' }, { type: 'none' }, { type: 'any', disable_parallel_tool_use: true }),
      id.map((name): Json => ({ type: 'tool', name })),
    ),
  },
  { noNullPrototype: true },
)

function bodyOf(messages: fc.Arbitrary<Json[]>, own: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Json> {
  const fields = fc.record({ ...shared, ...own }, { requiredKeys: ['max_tokens'], noNullPrototype: true })
  return fc.tuple(messages, fields, fc.option(toolFields)).map(([turns, rest, tools]) => ({
    model: 'm', messages: turns, ...rest, ...tools,
  }))
}

/** The same request as if it had never been on a wire, so that nothing can be copied from its body. */
function fromCode(request: ChatRequest): ChatRequest {
  return { ...request, body: undefined, dialect: undefined }
}

t.test('a body comes back from the neutral form with all that it says', async () => {
  const own = { metadata: fc.constant({ user_id: 'u' }), top_k: fc.integer({ min: 1, max: 9 }), thinking: fc.constantFrom({ type: 'disabled' }, { type: 'adaptive' }) }
  fc.assert(fc.property(bodyOf(conversation({ withMedia: true, withThoughts: true }), own), (body) => {
    const back = anthropic.encodeRequest(anthropic.decodeRequest(body), 'm')
    return JSON.stringify(sorted(back)) === JSON.stringify(sorted(body))
  }), { numRuns: 300 })
})

t.test('so does one that was never on a wire: the neutral form itself holds all of it', async () => {
  const own = { top_k: fc.integer({ min: 1, max: 9 }) }
  fc.assert(fc.property(bodyOf(conversation({ withMedia: true, withThoughts: true }), own), (body) => {
    const back = anthropic.encodeRequest(fromCode(anthropic.decodeRequest(body)), MODEL)
    return JSON.stringify(sorted({ ...back, model: 'm' })) === JSON.stringify(sorted(body))
  }), { numRuns: 300 })
})

t.test('by way of OpenAI it loses thoughts and flags of failure, and nothing else', async () => {
  fc.assert(fc.property(bodyOf(conversation({ withMedia: true, withThoughts: false }), {}), (body) => {
    const there = openai.encodeRequest(anthropic.decodeRequest(body), 'gpt-4.1')
    const back = anthropic.encodeRequest(openai.decodeRequest(there), MODEL)
    return JSON.stringify(sorted({ ...back, model: 'm' })) === JSON.stringify(sorted(body))
  }), { numRuns: 300 })
})

/** Pieces of an answer in which calls may be streamed side by side, each in as many pieces as its arguments are cut into. */
const answer = fc.record({
  thoughts: fc.array(fc.record({ text, signature: fc.option(id) }), { maxLength: 2 }),
  calls: fc.array(fc.record({ id, name: id, input, size: fc.integer({ min: 1, max: 6 }) }), { maxLength: 3 }),
  order: fc.array(fc.oneof(fc.nat({ max: 2 }), text), { maxLength: 40 }),
  usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
}).map(({ thoughts, calls, order, usage }): readonly Part[] => {
  const queues = calls.map((call, index) => callPieces(index, call))
  const said = interleaved(order, queues)
  return [
    { type: 'start', id: 'a', model: 'm' },
    ...thoughts.map(({ text: thought, signature }): Part => ({ type: 'reasoning', text: thought, ...(signature === null ? {} : { signature }) })),
    ...said,
    ...queues.flat(),
    { type: 'finish', reason: 'stop', raw: 'end_turn' },
    { type: 'usage', usage },
  ]
})

t.test('a streamed answer says what the same answer says in one piece, however its calls are mixed', async () => {
  const options = { id: 'a', created: 0, includeUsage: true }
  fc.assert(fc.property(answer, (parts) => {
    const encoder = anthropic.createStreamEncoder(options)
    const written = parts.map((part) => encoder.push([part]) ?? Buffer.alloc(0))
    const read = replay([Buffer.concat([...written, encoder.end()])], { codec: anthropic, forward: 'parts' }).parts
    const [streamed, whole] = [read, parts].map((each) => JSON.stringify(anthropic.encodeResponse(each, options)))
    return streamed === whole
  }), { numRuns: 500 })
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, member]) => [key, sorted(member)]))
}
