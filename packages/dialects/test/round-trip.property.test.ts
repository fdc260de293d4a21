import fc from 'fast-check'
import t from 'tap'
import type { ChatRequest, ContentBlock, Message, Tool, ToolChoice } from '@understudy/core'
import { anthropic, bedrock, gemini, isUntranslatableRequestError, openai, responses, type DialectCodec } from '@understudy/dialects'

/** What not every dialect has words for. */
type Feature =
  | 'stream' | 'stop' | 'topK' | 'seed' | 'penalties' | 'choices' | 'format' | 'effort' | 'strict' | 'parallel' | 'detail' | 'url' | 'file' | 'name'

interface Speaker {
  readonly codec: DialectCodec
  /** One that takes everything that is made up here. */
  readonly model: string
  readonly says: readonly Feature[]
}

const SPEAKERS = {
  openai: {
    codec: openai,
    model: 'gpt-5',
    says: ['stream', 'stop', 'seed', 'penalties', 'choices', 'format', 'effort', 'strict', 'parallel', 'detail', 'url', 'file', 'name'],
  },
  anthropic: {
    codec: anthropic,
    model: 'claude-3-7-sonnet-latest',
    says: ['stream', 'stop', 'topK', 'strict', 'url', 'file', 'name'],
  },
  // The path of a request says whether it is streamed.
  gemini: { codec: gemini, model: 'gemini-2.5-pro', says: ['stop', 'topK', 'seed', 'penalties', 'choices', 'url', 'file'] },
  responses: {
    codec: responses,
    model: 'gpt-5',
    says: ['stream', 'format', 'effort', 'strict', 'parallel', 'detail', 'url', 'file', 'name'],
  },
} as const satisfies Record<string, Speaker>

/** It has an encoder only: nobody speaks it to us. */
const BEDROCK = { codec: bedrock, model: 'anthropic.claude-3-7-sonnet', says: ['stream', 'stop', 'strict', 'file', 'name'] } as const

const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '')
/** The result of a tool; an object in JSON would be one in Gemini's words. */
const result = text.filter((value) => !value.trim().startsWith('{'))
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/)
const args = fc.dictionary(word, fc.oneof(fc.integer(), text, fc.boolean()), { maxKeys: 3, noNullPrototype: true })
const data = fc.base64String({ minLength: 4, maxLength: 12 })
const schema = { type: 'object', properties: {}, required: [], additionalProperties: false }

type Says = (feature: Feature) => boolean

function blocks(says: Says): fc.Arbitrary<readonly ContentBlock[]> {
  const detail = says('detail') ? { detail: 'low' } : {}
  return fc.array(fc.oneof(
    text.map((value): ContentBlock => ({ type: 'text', text: value })),
    data.map((value): ContentBlock => ({ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: value }, ...detail })),
    ...(says('url') ? [word.map((name): ContentBlock => ({ type: 'image', source: { type: 'url', url: `https://host/${name}.webp` }, ...detail }))] : []),
    ...(says('file') ? [fc.record({ value: data, name: word }).map(({ value, name }): ContentBlock => ({
      type: 'file', source: { type: 'base64', mediaType: 'application/pdf', data: value }, ...(says('name') ? { name } : {}),
    }))] : []),
    // A file stands beside a text: on its own not everybody takes it.
  ), { minLength: 1, maxLength: 3 }).map((list) =>
    (list.some(({ type }) => type === 'text') ? list : [...list, { type: 'text', text: 'these' }]))
}

/** What the user asks, what the model says and calls, what comes of it, and what the user asks next. */
function conversation(says: Says): fc.Arbitrary<readonly Message[]> {
  const asked = blocks(says)
  const round = fc.record({ said: text, calls: fc.array(fc.record({ name: word, args, result }), { maxLength: 2 }), next: asked })
  return fc.record({ system: fc.option(text), first: asked, rounds: fc.array(round, { maxLength: 3 }) }).map(({ system, first, rounds }) => {
    let made = 0
    return [
      ...(system === null ? [] : [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }]),
      { role: 'user' as const, content: first },
      ...rounds.flatMap(({ said, calls, next }): readonly Message[] => {
        const named = calls.map((call) => ({ ...call, id: `call_${made++}` }))
        return [
          {
            role: 'assistant',
            content: [{ type: 'text', text: said }],
            ...(named.length === 0 ? {} : { toolCalls: named.map(({ id, name, args: value }) => ({ id, name, arguments: JSON.stringify(value) })) }),
          },
          ...named.map(({ id, name, result: value }): Message => ({ role: 'tool', toolCallId: id, name, content: [{ type: 'text', text: value }] })),
          { role: 'user', content: next },
        ]
      }),
    ]
  })
}

function toolsOf(says: Says): fc.Arbitrary<Partial<ChatRequest>> {
  const tool = fc.record({ name: word, description: text, strict: fc.boolean() }).map(({ name, description, strict }): Tool => ({
    name, description, parameters: schema, ...(says('strict') ? { strict } : {}),
  }))
  return fc.record({
    tools: fc.uniqueArray(tool, { minLength: 1, maxLength: 2, selector: ({ name }) => name }),
    choice: fc.option(fc.constantFrom<ToolChoice | 'first'>('auto', 'none', 'required', 'first')),
    parallel: fc.boolean(),
  }).map(({ tools, choice, parallel }) => ({
    tools,
    ...(choice === null ? {} : { toolChoice: choice === 'first' ? { name: tools[0]?.name ?? '' } : choice }),
    ...(parallel || !says('parallel') ? {} : { parallelToolCalls: false }),
  }))
}

/**
 * A request that only says what all of these have words for. What a dialect has no word for is either left out of its body, as a flag of
 * failure or the name of a file, or makes the request untranslatable: the tests of `encode-request` hold which.
 */
function requests(...speakers: readonly (readonly Feature[])[]): fc.Arbitrary<ChatRequest> {
  const says: Says = (feature) => speakers.every((features) => features.includes(feature))
  const where = <Value>(feature: Feature, value: fc.Arbitrary<Value>) => (says(feature) ? fc.option(value, { nil: undefined }) : fc.constant(undefined))
  const fields = fc.record({
    maxTokens: fc.integer({ min: 16, max: 8_000 }),
    temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
    topP: fc.option(fc.constantFrom(0.1, 1), { nil: undefined }),
    stop: where('stop', fc.array(text, { minLength: 1, maxLength: 4 })),
    topK: where('topK', fc.integer({ min: 1, max: 40 })),
    seed: where('seed', fc.nat()),
    presencePenalty: where('penalties', fc.constantFrom(0.5, -1)),
    frequencyPenalty: where('penalties', fc.constantFrom(0.5, -1)),
    choices: where('choices', fc.integer({ min: 2, max: 8 })),
    reasoningEffort: where('effort', fc.constantFrom('low', 'medium', 'high')),
    responseFormat: where('format', fc.oneof(
      fc.constant({ type: 'json' as const }),
      fc.record({ name: word, strict: fc.boolean() }).map((format) => ({ type: 'json-schema' as const, schema, ...format })),
    )),
  }, { noNullPrototype: true })
  return fc.record({ messages: conversation(says), fields, tools: fc.option(toolsOf(says)), stream: says('stream') ? fc.boolean() : fc.constant(false) })
    .map(({ messages, fields: said, tools, stream }) => ({ stream, messages, ...said, ...tools }))
}

for (const [name, { codec, model, says }] of Object.entries<Speaker>(SPEAKERS)) {
  t.test(`${name}: a body that says all it can is the same behind the neutral form`, async () => {
    fc.assert(fc.property(requests(says), (request) => {
      const body = codec.encodeRequest(request, model)
      return same(codec.encodeRequest(codec.decodeRequest(body), model), body)
    }), { numRuns: 150 })
  })

  for (const [way, there] of Object.entries<Speaker>(SPEAKERS)) {
    if (way === name) continue
    t.test(`${name} by way of ${way}: what both have words for comes back, word for word`, async () => {
      fc.assert(fc.property(requests(says, there.says), (request) => {
        const body = codec.encodeRequest(request, model)
        const crossed = there.codec.encodeRequest(codec.decodeRequest(body), there.model)
        const back = codec.encodeRequest(there.codec.decodeRequest(crossed), model)
        // That nothing is kept is said to the Responses API for clients of other APIs.
        return same({ ...back, store: undefined }, body)
      }), { numRuns: 150 })
    })
  }

  t.test(`${name}: its clients tell Bedrock what code tells it`, async () => {
    fc.assert(fc.property(requests(says, BEDROCK.says), (request) => {
      return same(toldToBedrock(codec.decodeRequest(codec.encodeRequest(request, model))), toldToBedrock(request))
    }), { numRuns: 150 })
  })
}

/** The body; or what makes it impossible, as calls of tools without the tools do. */
function toldToBedrock(request: ChatRequest): unknown {
  try {
    return BEDROCK.codec.encodeRequest(request, BEDROCK.model)
  } catch (error) {
    if (isUntranslatableRequestError(error)) return error.feature
    throw error
  }
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, member]) => [key, sorted(member)]))
}
