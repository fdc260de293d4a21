import type Anthropic from '@anthropic-ai/sdk'
import type { GenerateContentParameters, GenerateContentResponse } from '@google/genai'
import type { Answer } from '@understudy/simulator'
import type OpenAI from 'openai'
import type { Clients, Vendor } from './translating-host.js'

/** How a client asks. */
export const MODES = ['streamed', 'buffered'] as const
export type Mode = (typeof MODES)[number]

const SCHEMA = { type: 'object' as const, properties: { city: { type: 'string' } } }
const PIXEL = 'iVBORw0KGgo='

/** A conversation with a system prompt, an image, a call of a tool and its result, as one vendor's clients say it. */
export const OPENAI_QUESTION = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [
      { type: 'text', text: 'What is the weather here?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ] },
    { role: 'assistant', content: 'Let me see.', tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
    ] },
    { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
    { role: 'user', content: 'And tomorrow?' },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'Says the weather.', parameters: SCHEMA } }],
  max_tokens: 500,
} satisfies Partial<OpenAI.ChatCompletionCreateParams>

/** The same conversation as clients of the same vendor's newer API say it. */
export const RESPONSES_QUESTION = {
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: [
      { type: 'input_text', text: 'What is the weather here?' },
      { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' },
    ] },
    { role: 'assistant', content: 'Let me see.' },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
    { role: 'user', content: 'And tomorrow?' },
  ],
  tools: [{ type: 'function', name: 'weather', description: 'Says the weather.', parameters: SCHEMA, strict: false }],
  max_output_tokens: 500,
} satisfies Partial<OpenAI.Responses.ResponseCreateParams>

/** The same conversation as the other vendor's clients say it. */
export const ANTHROPIC_QUESTION = {
  system: 'Be brief.',
  messages: [
    { role: 'user', content: [
      { type: 'text', text: 'What is the weather here?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
    ] },
    { role: 'assistant', content: [
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Oslo' } },
    ] },
    { role: 'user', content: [
      { type: 'tool_result', tool_use_id: 'call_1', content: 'rain' },
      { type: 'text', text: 'And tomorrow?' },
    ] },
  ],
  tools: [{ name: 'weather', description: 'Says the weather.', input_schema: SCHEMA }],
  max_tokens: 500,
} satisfies Partial<Anthropic.MessageCreateParams>

/** And as those of the third say it. */
export const GEMINI_QUESTION = {
  contents: [
    { role: 'user', parts: [{ text: 'What is the weather here?' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] },
    { role: 'model', parts: [{ text: 'Let me see.' }, { functionCall: { id: 'call_1', name: 'weather', args: { city: 'Oslo' } } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'weather', response: { output: 'rain' } } }] },
    { role: 'user', parts: [{ text: 'And tomorrow?' }] },
  ],
  config: {
    systemInstruction: 'Be brief.',
    tools: [{ functionDeclarations: [{ name: 'weather', description: 'Says the weather.', parametersJsonSchema: SCHEMA }] }],
    maxOutputTokens: 500,
  },
} satisfies Partial<GenerateContentParameters>

/** An answer with everything that all vendors can say. */
export const FULL_ANSWER: Answer = {
  // One piece: OpenAI's client keeps only the last of a field that it does not know.
  reasoning: ['It rains often.'],
  text: ['Let ', 'me "look"', '.\n\u00e9'],
  toolCalls: [
    { id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}', pieces: ['{"ci', 'ty":"Oslo"', '}'] },
    { id: 'call_b', name: 'weather', arguments: '{"city":"Bergen"}' },
  ],
}

type Plain = Readonly<Record<string, unknown>>

/** What a vendor's client makes of an answer, without what differs from call to call or from leg to leg. */
export async function ask(
  vendor: Vendor,
  clients: Clients,
  mode: Mode,
  model: string,
): Promise<Plain> {
  if (vendor === 'openai') {
    const body = { ...OPENAI_QUESTION, model }
    const answer = mode === 'buffered'
      ? await clients.openai.chat.completions.create(body)
      : await clients.openai.chat.completions.stream({ ...body, stream_options: { include_usage: true } }).finalChatCompletion()
    return plain({ ...answer, id: '', created: 0, system_fingerprint: undefined, understudy: undefined })
  }
  if (vendor === 'responses') return askResponses(clients.responses, mode, model)
  if (vendor === 'gemini') return askGemini(clients.gemini, mode, model)
  const body = { ...ANTHROPIC_QUESTION, model }
  const answer = mode === 'buffered'
    ? await clients.anthropic.messages.create(body)
    : await clients.anthropic.messages.stream(body).finalMessage()
  return plain({ ...answer, id: '', understudy: undefined })
}

/** Each item has an id of its own, and what was asked is said again: both are left out. */
async function askResponses(client: OpenAI, mode: Mode, model: string): Promise<Plain> {
  const body = { ...RESPONSES_QUESTION, model }
  const answer = mode === 'buffered' ? await client.responses.create(body) : await client.responses.stream(body).finalResponse()
  const { model: served, object, status, error, incomplete_details: details, output, output_text: text, usage } = answer
  return plain({ model: served, object, status, error, details, output: output.map((item) => ({ ...item, id: '' })), text, usage })
}

/** Its client puts no stream together, so the parts are, here. */
async function askGemini(client: Clients['gemini'], mode: Mode, model: string): Promise<Plain> {
  const body = { ...GEMINI_QUESTION, model }
  const answers: GenerateContentResponse[] = []
  if (mode === 'buffered') answers.push(await client.models.generateContent(body))
  else for await (const answer of await client.models.generateContentStream(body)) answers.push(answer)
  const parts = answers.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
  const last = answers.at(-1)
  return plain({
    model: last?.modelVersion,
    thoughts: parts.map(({ text = '', thought }) => (thought === true ? text : '')).join(''),
    text: parts.map(({ text = '', thought }) => (thought === true ? '' : text)).join(''),
    calls: parts.filter(({ functionCall }) => functionCall !== undefined),
    finishReason: last?.candidates?.[0]?.finishReason,
    usage: last?.usageMetadata,
  })
}

function plain(value: object): Plain {
  return JSON.parse(JSON.stringify(value)) as Plain
}
