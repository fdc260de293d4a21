import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, streamText, tool, type LanguageModel, type ModelMessage, type ToolSet } from 'ai'
import type { Mode } from './questions.js'
import { FIRST_QUESTION, LAST_QUESTION, NEXT_QUESTION, PIXEL, SYSTEM, WEATHER, type SdkAnswer, type SdkClient } from './sdk-client.js'
import { ROUTES, type Kind } from './sdk-host.js'

// It warns of thoughts that it leaves out, as it should: only who made them could know them again.
globalThis.AI_SDK_LOG_WARNINGS = false

const KEY = { apiKey: 'the-callers' }
const TOOLS: ToolSet = { [WEATHER.name]: tool({ description: WEATHER.description, inputSchema: jsonSchema<{ readonly city: string }>(WEATHER.schema) }) }

const CONVERSATION: readonly ModelMessage[] = [
  { role: 'user', content: [{ type: 'text', text: FIRST_QUESTION }, { type: 'image', image: PIXEL, mediaType: 'image/png' }] },
  { role: 'assistant', content: [
    { type: 'text', text: 'Let me see.' },
    { type: 'tool-call', toolCallId: 'call_1', toolName: WEATHER.name, input: { city: 'Oslo' } },
  ] },
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_1', toolName: WEATHER.name, output: { type: 'text', value: 'rain' } }] },
  { role: 'user', content: NEXT_QUESTION },
]

/** The clients of the Vercel AI SDK. */
export const AI_SDK_CLIENTS: readonly SdkClient[] = [
  clientOf('openai chat', (origin, id) => createOpenAI({ ...KEY, baseURL: `${origin}/v1` }).chat(id)),
  clientOf('openai responses', (origin, id) => createOpenAI({ ...KEY, baseURL: `${origin}/v1` }).responses(id)),
  clientOf('anthropic', (origin, id) => createAnthropic({ ...KEY, baseURL: `${origin}/v1` })(id)),
  clientOf('google', (origin, id) => createGoogleGenerativeAI({ ...KEY, baseURL: `${origin}/v1beta` })(id)),
]

function clientOf(name: string, modelOf: (origin: string, id: string) => LanguageModel): SdkClient {
  return {
    name,
    async ask(origin, mode, kind, nextOrigin = origin) {
      const model = modelOf(origin, ROUTES[kind])
      if (kind === 'plain') return [(await once(model, mode, kind, [{ role: 'user', content: FIRST_QUESTION }])).answer]
      const first = await once(model, mode, kind, CONVERSATION)
      const results: ModelMessage = {
        role: 'tool',
        content: first.answer.calls.map(({ id, name: toolName }) => (
          { type: 'tool-result', toolCallId: String(id), toolName, output: { type: 'json', value: { sky: 'grey' } } }
        )),
      }
      const next = await once(modelOf(nextOrigin, ROUTES[kind]), mode, kind, [...CONVERSATION, ...first.messages, results, { role: 'user', content: LAST_QUESTION }])
      return [first.answer, next.answer]
    },
    async readUntilError(origin) {
      const errors: unknown[] = []
      let text = ''
      const { textStream } = streamText({
        model: modelOf(origin, ROUTES.plain), prompt: FIRST_QUESTION, maxRetries: 0, onError: ({ error }) => void errors.push(error),
      })
      for await (const piece of textStream) text += piece
      return { text, error: errors[0] }
    },
  }
}

async function once(
  model: LanguageModel,
  mode: Mode,
  kind: Kind,
  messages: readonly ModelMessage[],
): Promise<{ readonly answer: SdkAnswer, readonly messages: readonly ModelMessage[] }> {
  const asked = {
    model, system: SYSTEM, messages: [...messages], maxRetries: 0, maxOutputTokens: 500, tools: kind === 'tools' ? TOOLS : {},
    // By default its Responses client sends the ids of earlier items in their place, which only who made them can know.
    providerOptions: { openai: { store: false } },
  }
  const errors: unknown[] = []
  const said = mode === 'buffered' ? await generateText(asked) : streamText({ ...asked, onError: ({ error }) => void errors.push(error) })
  try {
    const [text, reasoning, toolCalls, finish, usage, response] = await Promise.all([
      said.text, said.reasoningText, said.toolCalls, said.finishReason, said.usage, said.response,
    ])
    const calls = toolCalls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, input }))
    const { inputTokens, outputTokens, totalTokens } = usage
    const answer = { text, reasoning: reasoning ?? '', calls, finish, usage: { inputTokens, outputTokens, totalTokens } }
    return { answer, messages: response.messages }
  } catch (error) {
    throw errors[0] ?? error
  }
}
