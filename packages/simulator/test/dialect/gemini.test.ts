import { ApiError, GoogleGenAI } from '@google/genai'
import t from 'tap'
import { gemini } from '../../src/dialect/gemini.js'
import { startSimulator, type Answer, type Step } from '../../src/index.js'

const context = { model: 'gemini-x', number: 2, wantsUsage: true }
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]

interface Said {
  readonly candidates: readonly { readonly content: { readonly parts: readonly unknown[] }, readonly finishReason?: string }[]
  readonly usageMetadata?: unknown
}

function events(answer: Answer, options: Parameters<typeof gemini.encodeStream>[2] = {}): readonly Said[] {
  return gemini.encodeStream(answer, context, options).map((text) => JSON.parse(text.slice('data: '.length)) as Said)
}

t.test('streams thoughts, then text in its pieces, then calls, each whole', (t) => {
  const said = events({
    reasoning: ['hm', '...'],
    text: ['a b', ' c'],
    toolCalls: [{ name: 'f', arguments: { x: 1 } }, { id: 'c2', name: 'g', arguments: '{}', pieces: ['{', '}'] }],
  })
  t.strictSame(said.map(({ candidates }) => [candidates[0]?.content.parts[0], candidates[0]?.finishReason]), [
    [{ text: 'hm', thought: true }, undefined],
    [{ text: '...', thought: true }, undefined],
    [{ text: 'a b' }, undefined],
    [{ text: ' c' }, undefined],
    [{ functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'sig-gemini-x' }, undefined],
    [{ functionCall: { id: 'c2', name: 'g', args: {} } }, undefined],
    [{ text: '' }, 'STOP'],
  ])
  t.strictSame(said.at(-1)?.usageMetadata, { promptTokenCount: 10, candidatesTokenCount: 6, totalTokenCount: 16 })
  t.end()
})

t.test('says the same in one piece', (t) => {
  t.strictSame(gemini.encodeResponse({ text: ['a', 'b'], toolCalls: [{ name: 'f', arguments: '{"x":1}' }], finishReason: 'length' }, context), {
    candidates: [{
      content: { parts: [{ text: 'ab' }, { functionCall: { name: 'f', args: { x: 1 } } }], role: 'model' },
      finishReason: 'MAX_TOKENS',
      index: 0,
    }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 },
    modelVersion: 'gemini-x',
    responseId: 'resp-gemini-x-2',
  })
  t.match(gemini.encodeResponse({ refusal: 'no' }, context), { candidates: [{ finishReason: 'SAFETY' }] })
  t.strictSame(events({ text: 'a', usage: false }, { duplicateFinish: true, lateText: 'b' }).map(({ usageMetadata }) => usageMetadata), Array(4).fill(undefined))
  t.end()
})

t.test('the vendor\'s client reads it, streamed and buffered, and its errors', async (t) => {
  const steps: Step[] = [{}, {}, { status: 503 }, { fault: { do: 'error_event', afterEvents: 0 } }]
  const simulator = await startSimulator({ script: { models: { 'gemini-x': steps }, apiKey: 'key' } })
  t.teardown(() => simulator.close())
  const clientOf = (apiKey: string) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: simulator.origin } })
  const client = clientOf('key')
  const body = { model: 'gemini-x', contents }
  const whole = await client.models.generateContent(body)
  let streamed = ''
  for await (const chunk of await client.models.generateContentStream(body)) streamed += chunk.text ?? ''
  t.ok(streamed.length > 0)
  t.equal(streamed, whole.text)
  t.match(await thrownBy(client.models.generateContent(body)), { status: 503 })
  t.ok(await thrownBy(client.models.generateContentStream(body).then(async (stream) => {
    for await (const chunk of stream) t.ok(chunk)
  })) instanceof ApiError)
  t.match(await thrownBy(clientOf('other').models.generateContent(body)), { status: 400, message: /API_KEY_INVALID/ })
  t.match(await thrownBy(client.models.generateContent({ ...body, model: 'none' })), { status: 404 })
})

t.test('a strict vendor refuses what its API refuses', async (t) => {
  const rules = { strict: true, refuseTrailingAssistant: false, headers: {} }
  const call = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }
  const result = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] }
  const messageOf = (body: unknown, other: Partial<typeof rules> = {}): string | undefined => {
    const refused = gemini.refuse(body, { ...rules, ...other })
    if (refused === undefined) return undefined
    t.equal(refused.status, 400)
    return (refused.body as { error: { message: string } }).error.message
  }
  t.equal(messageOf({ contents }), undefined)
  t.equal(messageOf({ contents: [...contents, call, result], generationConfig: { temperature: 2 } }), undefined)
  t.equal(messageOf({}, { strict: false }), undefined)
  t.match(messageOf({ contents, stream: true }), /Unknown name "stream"/)
  t.match(messageOf({ contents, generationConfig: { max_tokens: 1 } }), /Unknown name "max_tokens"/)
  t.match(messageOf({ contents, generationConfig: { temperature: 3 } }), /^temperature/)
  t.match(messageOf({ contents, generationConfig: { stopSequences: ['1', '2', '3', '4', '5', '6'] } }), /^stopSequences/)
  t.match(messageOf({ contents, toolConfig: { functionCallingConfig: {} } }), /without function_declarations/)
  t.match(messageOf({ contents, tools: [], toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['f'] } } }), /^Allowed/)
  t.match(messageOf({ contents: [] }), /contents is not specified/)
  t.match(messageOf({ contents: [{ parts: [] }] }), /parts must not be empty/)
  t.match(messageOf({ contents: [{ role: 'assistant', parts: [{}] }] }), /valid role/)
  t.match(messageOf({ contents: [call] }), /after a user turn/)
  t.match(messageOf({ contents: [...contents, call, ...contents] }), /number of function response/)
  t.match(messageOf({ contents: [...contents, result] }), /comes immediately after/)
  t.match(messageOf({ contents: [...contents, call, { role: 'user', parts: [{ functionResponse: { name: 'g' } }] }] }), /^Name/)
  t.match(messageOf({ contents: [...contents, { role: 'model', parts: [{ text: 'x' }] }] }, { refuseTrailingAssistant: true }), /ends with a user/)
})

async function thrownBy(work: PromiseLike<unknown>): Promise<unknown> {
  return work.then(() => undefined, (error: unknown) => error)
}
