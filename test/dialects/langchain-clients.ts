import { ChatAnthropic } from '@langchain/anthropic'
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, type AIMessageChunk, type BaseMessage, type UsageMetadata } from '@langchain/core/messages'
import { ChatGoogleGenerativeAI } from '@langchain/google-genai'
import { ChatOpenAI } from '@langchain/openai'
import type { Mode } from './questions.js'
import { ROUTES } from './sdk-host.js'
import { FIRST_QUESTION, LAST_QUESTION, NEXT_QUESTION, PIXEL, SYSTEM, WEATHER, type SdkAnswer, type SdkClient } from './sdk-client.js'

const SETTINGS = { apiKey: 'the-callers', maxRetries: 0 }

const CONVERSATION: readonly BaseMessage[] = [
  new SystemMessage(SYSTEM),
  new HumanMessage({ content: [
    { type: 'text', text: FIRST_QUESTION },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ] }),
  new AIMessage({ content: 'Let me see.', tool_calls: [{ id: 'call_1', name: WEATHER.name, args: { city: 'Oslo' }, type: 'tool_call' }] }),
  new ToolMessage({ content: 'rain', tool_call_id: 'call_1', name: WEATHER.name }),
  new HumanMessage(NEXT_QUESTION),
]

/** LangChain's chat models. */
export const LANGCHAIN_CLIENTS: readonly SdkClient[] = [
  clientOf('openai chat', (origin, model) => new ChatOpenAI({ ...SETTINGS, model, maxTokens: 500, configuration: { baseURL: `${origin}/v1` } })),
  clientOf('openai responses', (origin, model) => new ChatOpenAI({
    ...SETTINGS, model, maxTokens: 500, useResponsesApi: true, configuration: { baseURL: `${origin}/v1` },
  })),
  clientOf('anthropic', (origin, model) => new ChatAnthropic({ ...SETTINGS, model, maxTokens: 500, anthropicApiUrl: origin })),
  clientOf('google', (origin, model) => new ChatGoogleGenerativeAI({ ...SETTINGS, model, maxOutputTokens: 500, baseUrl: origin })),
]

type Asked = Pick<BaseChatModel, 'invoke' | 'stream'>

function clientOf(name: string, modelOf: (origin: string, model: string) => BaseChatModel): SdkClient {
  return {
    name,
    async ask(origin, mode, kind, nextOrigin = origin) {
      // Of a stream its Anthropic client reads how long the request was in the first event alone, where no other dialect can say it yet.
      const answer = (message: AIMessageChunk): SdkAnswer => (
        name === 'anthropic' && mode === 'streamed' ? { ...answerOf(message), usage: undefined } : answerOf(message)
      )
      const model = modelOf(origin, ROUTES[kind])
      if (kind === 'plain') return [answer(await once(model, mode, [new SystemMessage(SYSTEM), new HumanMessage(FIRST_QUESTION)]))]
      const first = await once(withTools(model), mode, CONVERSATION)
      // Its Google client sends the results of parallel calls in turns of their own, which the vendor refuses.
      if (name === 'google') return [answer(first)]
      const results = (first.tool_calls ?? []).map(({ id = '', name: tool }) => new ToolMessage({ content: 'grey', tool_call_id: id, name: tool }))
      const next = await once(withTools(modelOf(nextOrigin, ROUTES[kind])), mode, [...CONVERSATION, first, ...results, new HumanMessage(LAST_QUESTION)])
      return [answer(first), answer(next)]
    },
    // Its Google client leaves a rejection unhandled where a stream says that it failed, also where the vendor says it.
    readUntilError: name === 'google' ? undefined : async (origin) => {
      let text = ''
      try {
        for await (const chunk of await modelOf(origin, ROUTES.plain).stream(FIRST_QUESTION)) text += chunk.text
        return { text, error: undefined }
      } catch (error) {
        return { text, error }
      }
    },
  }
}

function withTools(model: BaseChatModel): Asked {
  const bound = model.bindTools?.([{ name: WEATHER.name, description: WEATHER.description, schema: WEATHER.schema }])
  if (bound === undefined) throw new Error('it has no tools')
  return bound as Asked
}

async function once(model: Asked, mode: Mode, messages: readonly BaseMessage[]): Promise<AIMessageChunk> {
  if (mode === 'buffered') return await model.invoke([...messages]) as AIMessageChunk
  let whole: AIMessageChunk | undefined
  for await (const chunk of await model.stream([...messages])) whole = whole?.concat(chunk) ?? chunk
  if (whole === undefined) throw new Error('the stream had nothing in it')
  return whole
}

function answerOf(message: AIMessageChunk): SdkAnswer {
  const { tool_calls: toolCalls = [], response_metadata: metadata } = message
  const usage = message.usage_metadata as UsageMetadata | undefined
  const reasoning = message.contentBlocks.map((block) => (block.type === 'reasoning' ? block.reasoning : '')).join('')
  const { finish_reason: chat, stop_reason: messages, finishReason: content, status } = metadata as Readonly<Record<string, unknown>>
  return {
    text: message.text,
    reasoning,
    calls: toolCalls.map(({ id, name, args }) => ({ id, name, input: args })),
    finish: chat ?? messages ?? content ?? status,
    usage: usage && [usage.input_tokens, usage.output_tokens, usage.total_tokens],
  }
}
