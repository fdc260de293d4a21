import fc from 'fast-check'
import t from 'tap'
import type { ChatRequest, Part } from '@understudy/core'
import { anthropic, gemini, openai, type DialectCodec } from '@understudy/dialects'
import { replay } from '../replay.js'

type Json = Record<string, unknown>

/** A model that takes everything that is made up here. */
const MODEL = 'gemini-2.5-pro'

const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '')
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const args = fc.dictionary(id, fc.oneof(fc.integer(), text, fc.boolean()), { maxKeys: 3, noNullPrototype: true })
const textPart = text.map((value): Json => ({ text: value }))
const base64 = fc.base64String({ minLength: 4, maxLength: 12 })
const media = fc.oneof(
  base64.map((data): Json => ({ inlineData: { mimeType: 'image/png', data } })),
  base64.map((data): Json => ({ inlineData: { mimeType: 'application/pdf', data } })),
  id.map((name): Json => ({ fileData: { mimeType: 'image/webp', fileUri: `https://host/${name}.webp` } })),
)
const thought = fc.record({ text, signature: fc.option(id) }).map(({ text: value, signature }): Json => ({
  text: value, thought: true, ...(signature === null ? {} : { thoughtSignature: signature }),
}))
const response = fc.oneof(
  text.map((output): Json => ({ output })),
  fc.dictionary(id.filter((key) => !/^\d/.test(key)), fc.integer(), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
)

/** A user's turn, then turns of the model with or without calls; results stand in a turn of their own. */
function conversation({ isOwn }: { readonly isOwn: boolean }) {
  const asked = fc.array(fc.oneof(textPart, media), { minLength: 1, maxLength: 3 })
  const call = fc.record({ name: id, args, response, failed: fc.boolean(), signature: fc.option(id), hasId: fc.boolean() })
  const said = fc.record({
    thoughts: isOwn ? fc.array(thought, { maxLength: 2 }) : fc.constant([]),
    texts: fc.array(textPart, { minLength: 1, maxLength: 2 }),
    calls: fc.array(call, { maxLength: 3 }),
    next: asked,
  })
  return fc.record({ first: asked, rounds: fc.array(said, { maxLength: 3 }) }).map(({ first, rounds }): Json[] => {
    let made = 0
    return [
      { role: 'user', parts: first },
      ...rounds.flatMap(({ thoughts, texts, calls, next }) => {
        const named = calls.map((each) => ({ ...each, id: !isOwn || each.hasId ? { id: `id${made++}` } : {} }))
        const wants = (index: number, signature: string | null) => isOwn && index === 0 && signature !== null
        return [
          { role: 'model', parts: [
            ...thoughts,
            ...texts,
            ...named.map(({ id: given, name, args: value, signature }, index) => ({
              functionCall: { ...given, name, args: value }, ...(wants(index, signature) ? { thoughtSignature: signature } : {}),
            })),
          ] },
          ...(named.length === 0 ? [] : [{ role: 'user', parts: named.map(({ id: given, name, response: value, failed }) => ({
            functionResponse: { ...given, name, response: failed && isOwn ? { error: 'no' } : value },
          })) }]),
          { role: 'user', parts: next },
        ]
      }),
    ]
  })
}

const tool = fc.record(
  { name: id, description: text, parametersJsonSchema: fc.constant({ type: 'object', properties: {} }) },
  { requiredKeys: ['name', 'parametersJsonSchema'], noNullPrototype: true },
)
const toolFields = fc.record(
  {
    tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 2, selector: ({ name }) => name }).map((list) => [{ functionDeclarations: list }]),
    mode: fc.constantFrom('AUTO', 'NONE', 'ANY', undefined),
  },
  { requiredKeys: ['tools'], noNullPrototype: true },
).map(({ tools, mode }): Json => ({ tools, ...(mode === undefined ? {} : { toolConfig: { functionCallingConfig: { mode } } }) }))

const shared = {
  maxOutputTokens: fc.integer({ min: 1, max: 8_000 }),
  temperature: fc.constantFrom(0, 0.5, 1),
  topP: fc.constantFrom(0.1, 1),
  stopSequences: fc.array(text, { minLength: 1, maxLength: 4 }),
}
const ownConfig = {
  topK: fc.integer({ min: 1, max: 40 }),
  candidateCount: fc.integer({ min: 1, max: 8 }),
  seed: fc.integer(),
  presencePenalty: fc.constantFrom(0.5, -1),
  frequencyPenalty: fc.constantFrom(0.5, -1),
  thinkingConfig: fc.integer({ min: 128, max: 32_768 }).map((thinkingBudget) => ({ thinkingBudget, includeThoughts: true })),
}

function bodyOf(isOwn: boolean, more: Readonly<Record<string, fc.Arbitrary<unknown>>>, required: 'maxOutputTokens'[] = []): fc.Arbitrary<Json> {
  const config = fc.record({ ...shared, ...more }, { requiredKeys: required, noNullPrototype: true })
  const system = fc.option(text.map((value) => ({ systemInstruction: { parts: [{ text: value }] } })))
  return fc.tuple(conversation({ isOwn }), config, fc.option(toolFields), system).map(([contents, generationConfig, tools, instruction]) => ({
    contents, ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }), ...tools, ...instruction,
  }))
}

/** The same request as if it had never been on a wire, so that nothing can be copied from its body. */
function fromCode(request: ChatRequest): ChatRequest {
  return { ...request, body: undefined, dialect: undefined }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

t.test('a body comes back from the neutral form with all that it says', async () => {
  fc.assert(fc.property(bodyOf(true, ownConfig), (body) => isSame(gemini.encodeRequest(gemini.decodeRequest(body), MODEL), body)), { numRuns: 100 })
})

t.test('so does one that was never on a wire: the neutral form itself holds all of it', async () => {
  fc.assert(fc.property(bodyOf(true, ownConfig), (body) => isSame(gemini.encodeRequest(fromCode(gemini.decodeRequest(body)), MODEL), body)), {
    numRuns: 300,
  })
})

/** There and back, by way of a dialect that has its own words for all of it. */
function byWayOf(codec: DialectCodec, model: string) {
  return (body: Json): Json => {
    const there = codec.encodeRequest(gemini.decodeRequest(body), model)
    return gemini.encodeRequest(codec.decodeRequest(there), MODEL)
  }
}

t.test('by way of OpenAI it loses thoughts, signatures and flags of failure, and nothing else', async () => {
  const travel = byWayOf(openai, 'gpt-4.1')
  const body = bodyOf(false, { seed: fc.integer(), candidateCount: fc.integer({ min: 1, max: 8 }) })
  // A file by its URL has no word there; here only images have one.
  fc.assert(fc.property(body, (value) => isSame(travel(value), value)), { numRuns: 300 })
})

t.test('by way of Anthropic it loses thoughts and signatures, and nothing else', async () => {
  const travel = byWayOf(anthropic, 'claude-3-7-sonnet-latest')
  // It demands a limit, and one turn of the user where results and text follow each other.
  fc.assert(fc.property(bodyOf(false, { topK: fc.integer({ min: 1, max: 40 }) }, ['maxOutputTokens']), (value) => isSame(travel(value), value)), {
    numRuns: 300,
  })
})

/** Pieces of an answer, in the order in which they may come. */
const answer = fc.record({
  said: fc.array(fc.oneof(
    fc.record({ text, signature: fc.option(id) }).map(({ text: value, signature }): Part => ({
      type: 'reasoning', text: value, ...(signature === null ? {} : { signature }),
    })),
    text.map((value): Part => ({ type: 'text', text: value })),
  ), { maxLength: 8 }),
  calls: fc.array(fc.record({ id: fc.option(id), name: id, args, signature: fc.option(id) }), { maxLength: 3 }),
  usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
}).map(({ said, calls, usage }): readonly Part[] => [
  { type: 'start', id: 'a', model: 'm' },
  ...said,
  ...calls.flatMap(({ id: callId, name, args: value, signature }, index): readonly Part[] => {
    const json = JSON.stringify(value)
    return [
      ...(signature === null ? [] : [{ type: 'reasoning' as const, text: '', signature }]),
      { type: 'tool-call', index, ...(callId === null ? {} : { id: callId }), name, arguments: json.slice(0, 3) },
      { type: 'tool-call', index, arguments: json.slice(3) },
    ]
  }),
  { type: 'finish', reason: 'stop', raw: 'STOP' },
  { type: 'usage', usage },
])

t.test('a streamed answer says what the same answer says in one piece', async () => {
  const options = { id: 'a', created: 0, includeUsage: true }
  fc.assert(fc.property(answer, (parts) => {
    const encoder = gemini.createStreamEncoder(options)
    const written = parts.map((part) => encoder.push([part]) ?? Buffer.alloc(0))
    const read = replay([Buffer.concat([...written, encoder.end()])], { codec: gemini, forward: 'parts' }).parts
    return isSame(gemini.encodeResponse(read, options), gemini.encodeResponse(parts, options))
  }), { numRuns: 500 })
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, member]) => [key, sorted(member)]))
}
