import fc from 'fast-check'
import t from 'tap'
import { callPieces, interleaved } from '../interleaved.js'
import type { ChatRequest, Part } from '@understudy/core'
import { anthropic, openai, responses, type DialectCodec } from '@understudy/dialects'
import { replay } from '../replay.js'

type Json = Record<string, unknown>

/** A model that takes everything that is made up here. */
const MODEL = 'gpt-5'

const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '')
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const input = fc.dictionary(id, fc.oneof(fc.integer(), text, fc.boolean()), { maxKeys: 3, noNullPrototype: true })
const base64 = fc.base64String({ minLength: 4, maxLength: 12 })
const textPart = text.map((value): Json => ({ type: 'input_text', text: value }))
const media = fc.oneof(
  base64.map((data): Json => ({ type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' })),
  id.map((name): Json => ({ type: 'input_image', image_url: `https://host/${name}`, detail: 'low' })),
  fc.record({ data: base64, name: id }).map(({ data, name }): Json => ({ type: 'input_file', filename: name, file_data: `data:application/pdf;base64,${data}` })),
)

/** As the encoder writes it: a lone text is a string. */
function content(parts: readonly Json[]): unknown {
  const [first] = parts
  return parts.length === 1 && first?.['type'] === 'input_text' ? first['text'] : parts
}

interface Kinds {
  readonly withMedia: boolean
  /** Whether there is what only this API can say: thoughts, outputs with media, items of its own tools. */
  readonly withOwn: boolean
}

/** A user's turn, then what the model said and called, the outputs, and the user's next. */
function conversation({ withMedia, withOwn }: Kinds): fc.Arbitrary<Json[]> {
  const parts = withMedia ? fc.oneof(textPart, media) : textPart
  const asked = fc.array(parts, { minLength: 1, maxLength: 3 })
  const thought = fc.record({ id, text, encrypted: fc.option(id) }).map((value): Json => ({
    type: 'reasoning', id: value.id, summary: [{ type: 'summary_text', text: value.text }], ...(value.encrypted === null ? {} : { encrypted_content: value.encrypted }),
  }))
  const said = fc.record({
    thoughts: withOwn ? fc.array(fc.oneof(thought, fc.constant<Json>({ type: 'web_search_call', id: 'ws' })), { maxLength: 2 }) : fc.constant([]),
    said: text,
    calls: fc.array(fc.record({ id, name: id, input, output: withOwn ? asked.map(content) : text }), { maxLength: 2 }),
    next: asked,
  })
  return fc.record({ first: asked, rounds: fc.array(said, { maxLength: 3 }) }).map(({ first, rounds }) => [
    { role: 'user', content: content(first) },
    ...rounds.flatMap(({ thoughts, said: value, calls, next }): Json[] => [
      ...thoughts,
      { role: 'assistant', content: value },
      ...calls.map((call) => ({ type: 'function_call', call_id: call.id, name: call.name, arguments: JSON.stringify(call.input) })),
      ...calls.map((call) => ({ type: 'function_call_output', call_id: call.id, output: call.output })),
      { role: 'user', content: content(next) },
    ]),
  ])
}

const schema = fc.constant({ type: 'object', properties: {}, additionalProperties: false })
const shared = {
  instructions: text,
  stream: fc.constant(true),
  max_output_tokens: fc.integer({ min: 16, max: 16_000 }),
  temperature: fc.constantFrom(0, 0.5, 1),
  top_p: fc.constantFrom(0.1, 1),
}
/** What OpenAI's older API has words for, and Anthropic's has not. */
const sameVendor = {
  text: fc.oneof(
    fc.constant({ format: { type: 'json_object' } }),
    fc.record({ name: id, schema, strict: fc.boolean() }).map((format) => ({ format: { type: 'json_schema', ...format } })),
  ),
  reasoning: fc.constantFrom('minimal', 'low', 'medium', 'high').map((effort) => ({ effort })),
}
const tool = fc.record({ name: id, description: text, parameters: schema, strict: fc.boolean() }, { requiredKeys: ['name', 'parameters', 'strict'], noNullPrototype: true })
const toolFields = fc.record(
  {
    tools: fc.array(tool.map((value): Json => ({ type: 'function', ...value })), { minLength: 1, maxLength: 2 }),
    tool_choice: fc.oneof(fc.constantFrom('auto', 'none', 'required'), id.map((name) => ({ type: 'function', name }))),
    parallel_tool_calls: fc.constant(false),
  },
  { requiredKeys: ['tools'], noNullPrototype: true },
)

function bodyOf(items: fc.Arbitrary<Json[]>, more: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Json> {
  const fields = fc.record({ ...shared, ...more }, { requiredKeys: [], noNullPrototype: true })
  return fc.tuple(items, fields, fc.option(toolFields)).map(([list, rest, tools]) => ({ model: 'm', input: list, ...rest, ...tools }))
}

function holds(bodies: fc.Arbitrary<Json>, back: (body: Json) => Json): void {
  fc.assert(fc.property(bodies, (body) => JSON.stringify(sorted({ ...back(body), model: 'm' })) === JSON.stringify(sorted(body))), { numRuns: 300 })
}

/** By way of another dialect, and without what says that nothing is kept. */
function byWayOf(codec: DialectCodec, model: string): (body: Json) => Json {
  return (body) => {
    const there = codec.encodeRequest(responses.decodeRequest(body), model)
    return { ...responses.encodeRequest(codec.decodeRequest?.(there) ?? NOTHING, MODEL), store: undefined }
  }
}

const NOTHING: ChatRequest = { stream: false, messages: [] }

t.test('a body comes back from the neutral form with all that it says', async () => {
  const own = { ...sameVendor, metadata: fc.constant({ a: 'b' }), store: fc.boolean(), previous_response_id: id, include: fc.constant(['reasoning.encrypted_content']) }
  holds(bodyOf(conversation({ withMedia: true, withOwn: true }), own), (body) => responses.encodeRequest(responses.decodeRequest(body), 'm'))
})

t.test('so does one that was never on a wire: the neutral form itself holds what others can say', async () => {
  holds(bodyOf(conversation({ withMedia: true, withOwn: false }), sameVendor), (body) =>
    responses.encodeRequest({ ...responses.decodeRequest(body), body: undefined, dialect: undefined }, MODEL))
})

t.test('by way of chat completions it loses thoughts, and nothing else', async () => {
  holds(bodyOf(conversation({ withMedia: true, withOwn: false }), sameVendor), byWayOf(openai, MODEL))
})

t.test('by way of Anthropic it loses the detail of images too; one call at most is asked for as part of a choice', async () => {
  const limited = bodyOf(conversation({ withMedia: true, withOwn: false }), {}).map((body): Json => {
    const { max_output_tokens: most = 99, tool_choice: choice = 'auto', tools, parallel_tool_calls: parallel, ...rest } = body
    const calls = tools === undefined ? {} : { tools, tool_choice: choice, ...(choice === 'none' ? {} : { parallel_tool_calls: parallel }) }
    return JSON.parse(JSON.stringify({ ...rest, ...calls, max_output_tokens: most }).replaceAll('"detail":"low"', '"detail":"auto"')) as Json
  })
  holds(limited, byWayOf(anthropic, 'claude-3-7-sonnet-latest'))
})

/** Pieces of an answer in which calls may be streamed side by side. */
const answer = fc.record({
  thoughts: fc.array(text, { maxLength: 2 }),
  calls: fc.array(fc.record({ id, name: id, input, size: fc.integer({ min: 1, max: 6 }) }), { maxLength: 3 }),
  order: fc.array(fc.oneof(fc.nat({ max: 2 }), text), { maxLength: 40 }),
  usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
}).map(({ thoughts, calls, order, usage }): readonly Part[] => {
  const queues = calls.map((call, index) => callPieces(index, call))
  const said = interleaved(order, queues)
  return [
    { type: 'start', id: 'a', model: 'm' },
    ...thoughts.map((thought): Part => ({ type: 'reasoning', text: thought })),
    ...said,
    ...queues.flat(),
    { type: 'finish', reason: 'stop' },
    { type: 'usage', usage },
  ]
})

t.test('a streamed answer says what the same answer says in one piece, however its calls are mixed', async () => {
  const options = { id: 'a', created: 0, includeUsage: true }
  fc.assert(fc.property(answer, (parts) => {
    const encoder = responses.createStreamEncoder(options)
    const written = parts.map((part) => encoder.push([part]) ?? Buffer.alloc(0))
    const stream = Buffer.concat([...written, encoder.end()])
    const last = JSON.parse(stream.toString('utf8').split('\ndata: ').at(-1) ?? '') as { readonly response: unknown }
    const read = replay([stream], { codec: responses, forward: 'parts' }).parts.filter(({ type }) => type !== 'end')
    const whole = JSON.stringify(responses.encodeResponse(parts, options))
    return JSON.stringify(last.response) === whole && JSON.stringify(responses.encodeResponse(read, options)) === whole
  }), { numRuns: 500 })
})

const TYPES = [
  'response.created', 'response.output_item.added', 'response.output_item.done', 'response.output_text.delta', 'response.refusal.delta',
  'response.reasoning_summary_text.delta', 'response.function_call_arguments.delta', 'response.content_part.added', 'response.completed',
  'response.incomplete', 'response.failed', 'error', 'odd',
]
const KEYS = ['delta', 'item', 'item_id', 'output_index', 'content_index', 'summary_index', 'response', 'error', 'code', 'message', 'sequence_number']
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>('x', 0, 1, null, '', { type: 'function_call', name: 'f' }, { type: 'message', content: [{ text: 'x' }, null] }, { type: 'reasoning', summary: 'x' }, { output: [{}, null, { type: 'x' }] }),
)
const oddEvent = fc.record({ type: fc.constantFrom(...TYPES), members: fc.dictionary(fc.constantFrom(...KEYS), odd, { noNullPrototype: true }) })

t.test('no event is so odd that reading it throws, looked at or not, and both pass the same on', async () => {
  fc.assert(fc.property(fc.array(oddEvent, { maxLength: 12 }), (list) => {
    const stream = list.map(({ type, members }) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`).join('')
    const [looked, read] = [true, false].map((look) => replay([Buffer.from(stream)], { codec: responses, look }))
    replay([Buffer.from(stream)], { codec: responses, forward: 'parts' })
    return looked?.bytes === read?.bytes && looked?.events === read?.events && looked?.skipped === read?.skipped
  }), { numRuns: 1_000 })
})

t.test('no body and no answer is so odd that reading it throws', async () => {
  const fields = fc.dictionary(fc.constantFrom('input', 'tools', 'tool_choice', 'text', 'reasoning', 'include', 'output', 'status', 'usage', 'error', 'instructions'), odd, { noNullPrototype: true })
  fc.assert(fc.property(fields, (body) => {
    responses.outlineRequest(body)
    responses.decodeRequest(body)
    responses.mendedMembers?.(body, 'm')
    responses.echoOf?.(body)
    return responses.decodeResponse(Buffer.from(JSON.stringify(body)), { status: 200 }).parts.length > 0
  }), { numRuns: 1_000 })
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, member]) => [key, sorted(member)]))
}
