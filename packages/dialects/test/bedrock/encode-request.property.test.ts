import fc from 'fast-check'
import t from 'tap'
import type { ChatRequest, Message } from '@understudy/core'
import { bedrock, isUntranslatableRequestError } from '@understudy/dialects'

/** A model that takes everything that is made up here. */
const MODEL = 'anthropic.claude-3-7-sonnet-20250219-v1:0'

const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '')
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)
const words = fc.array(fc.record({ text, cachePoint: fc.boolean() }).map((value) => ({ type: 'text' as const, ...value })), { minLength: 1, maxLength: 3 })
const picture = fc.base64String({ minLength: 4, maxLength: 12 }).map((data) => ({ type: 'image' as const, source: { type: 'base64' as const, mediaType: 'image/png', data } }))
const thought = fc.record({ text, signature: id }).map((value) => ({ type: 'reasoning' as const, ...value }))
const input = fc.dictionary(id, fc.oneof(fc.integer(), text, fc.boolean()), { maxKeys: 3, noNullPrototype: true })

const round = fc.record({
  thoughts: fc.array(thought, { maxLength: 2 }),
  said: words,
  calls: fc.uniqueArray(fc.record({ id, name: id, input, result: words }), { maxLength: 2, selector: (call) => call.id }),
  next: words,
})

const request: fc.Arbitrary<ChatRequest> = fc.record({
  system: fc.option(words),
  first: fc.tuple(words, fc.array(picture, { maxLength: 2 })).map(([said, pictures]) => [...said, ...pictures]),
  rounds: fc.array(round, { maxLength: 3 }),
  maxTokens: fc.integer({ min: 1, max: 8_000 }),
}).map(({ system, first, rounds, maxTokens }) => {
  const messages: Message[] = [
    ...(system === null ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user', content: first },
    ...rounds.flatMap(({ thoughts, said, calls, next }): Message[] => [
      {
        role: 'assistant',
        content: [...thoughts, ...said],
        toolCalls: calls.map((call) => ({ id: call.id, name: call.name, arguments: JSON.stringify(call.input) })),
      },
      ...calls.map((call): Message => ({ role: 'tool', toolCallId: call.id, content: call.result })),
      { role: 'user', content: next },
    ]),
  ]
  return { stream: true, messages, maxTokens, tools: [{ name: 'f' }] }
})

/** Everything that was said, in order, whoever wrote it down. */
function saidIn(messages: readonly Message[]): unknown[] {
  return messages.filter(({ role }) => role !== 'system').flatMap(({ role, content, toolCalls = [], toolCallId }) => {
    const blocks = content.map((block) => (block.type === 'image' && block.source.type === 'base64' ? block.source.data : 'text' in block ? block.text : ''))
    return role === 'tool' ? [[toolCallId, blocks]] : [...blocks, ...toolCalls.map((call) => [call.id, call.name, JSON.parse(call.arguments) as unknown])]
  })
}

interface Wire {
  readonly text?: string
  readonly cachePoint?: object
  readonly image?: { readonly source: { readonly bytes: string } }
  readonly reasoningContent?: { readonly reasoningText: { readonly text: string } }
  readonly toolUse?: { readonly toolUseId: string, readonly name: string, readonly input: unknown }
  readonly toolResult?: { readonly toolUseId: string, readonly content: readonly Wire[] }
}

function saidOnWire(messages: readonly { readonly content: readonly Wire[] }[]): unknown[] {
  return messages.flatMap(({ content }) => content.filter(({ cachePoint }) => cachePoint === undefined).map((block): unknown => {
    if (block.toolUse !== undefined) return [block.toolUse.toolUseId, block.toolUse.name, block.toolUse.input]
    if (block.toolResult !== undefined) return [block.toolResult.toolUseId, block.toolResult.content.map((one) => one.text)]
    return block.text ?? block.image?.source.bytes ?? block.reasoningContent?.reasoningText.text
  }))
}

t.test('whatever a conversation says is said again, in order, by turns that alternate', async () => {
  fc.assert(fc.property(request, (asked) => {
    const body = bedrock.encodeRequest(asked, MODEL) as { messages: { role: string, content: Wire[] }[] }
    const alternates = body.messages.every(({ role }, index) => role === (index % 2 === 0 ? 'user' : 'assistant'))
    return alternates && JSON.stringify(saidOnWire(body.messages)) === JSON.stringify(saidIn(asked.messages))
  }), { numRuns: 300 })
})

t.test('a point to cache up to follows something in its own turn, and no thought', async () => {
  fc.assert(fc.property(request, (asked) => {
    const body = bedrock.encodeRequest(asked, MODEL) as { messages: { content: Wire[] }[] }
    const isPoint = ({ cachePoint }: Wire) => cachePoint !== undefined
    const all = body.messages.flatMap(({ content }) => content)
    const first = all.findIndex(({ reasoningContent }) => reasoningContent !== undefined)
    const follows = body.messages.every(({ content }) => content.every((block, at) => !isPoint(block) || (at > 0 && !content.slice(at - 1, at).some(isPoint))))
    return follows && (first === -1 || !all.slice(first).some(isPoint))
  }), { numRuns: 300 })
})

t.test('whatever answer comes whole or in events, in whatever form, is read without a throw', async () => {
  const anything = fc.anything({ withObjectString: false, maxDepth: 3 })
  const key = fc.constantFrom('output', 'message', 'content', 'text', 'toolUse', 'reasoningContent', 'usage', 'stopReason', 'delta', 'start', 'input')
  const shaped = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 4 }, fc.jsonValue(), fc.dictionary(key, tie('node'), { maxKeys: 4 }), fc.array(tie('node'), { maxLength: 3 })),
  })).node
  fc.assert(fc.property(fc.oneof(shaped, anything), (value) => {
    const json = textOf(value)
    bedrock.decodeResponse(Buffer.from(json), { status: 200 })
    bedrock.decodeFailure({ status: 400, headers: {}, body: json, now: 0 })
    const decoder = bedrock.createStreamDecoder({ forward: 'parts' })
    for (const name of ['messageStart', 'contentBlockStart', 'contentBlockDelta', 'contentBlockStop', 'messageStop', 'metadata', 'error']) {
      decoder.push(Buffer.from(`event: ${name}\ndata: ${json.replace(/\s/g, ' ')}\n\n`))
    }
    decoder.end()
  }), { numRuns: 500 })
})

t.test('a request of any shape is encoded or refused by name, and never breaks', async () => {
  const block = fc.oneof(
    text.map((value) => ({ type: 'text' as const, text: value })),
    fc.webUrl().map((url) => ({ type: 'image' as const, source: { type: 'url' as const, url } })),
    fc.record({ mediaType: fc.constantFrom('image/png', 'x/y', 'text/plain'), data: fc.string() }).map((source) => ({ type: 'file' as const, source: { type: 'base64' as const, ...source } })),
    fc.string().map((feature) => ({ type: 'other' as const, feature, value: {} })),
  )
  const message: fc.Arbitrary<Message> = fc.record({
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    content: fc.array(block, { maxLength: 3 }),
  })
  fc.assert(fc.property(fc.array(message, { maxLength: 5 }), fc.constantFrom(MODEL, 'amazon.nova-pro-v1:0'), (messages, model) => {
    try {
      bedrock.encodeRequest({ stream: false, messages }, model)
      return true
    } catch (error) {
      return isUntranslatableRequestError(error) && error.target === 'bedrock'
    }
  }), { numRuns: 500 })
})

function textOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'undefined'
  } catch {
    return String(typeof value)
  }
}
