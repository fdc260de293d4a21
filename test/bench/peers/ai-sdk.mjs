// The Vercel AI SDK with ai-fallback in an Express route that speaks OpenAI's format, with legs of the dialect that it is told.
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText } from 'ai'
import { createFallback } from 'ai-fallback'
import express from 'express'
import { createServer } from 'node:http'
import { backup, extra, limitMs, listenAndServe, primary } from '../targets/serve.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false

const MODEL = 'gpt-4o-mini'
const [dialect = 'openai'] = extra
const makers = {
  openai: (settings) => createOpenAICompatible(settings)(MODEL),
  anthropic: (settings) => createAnthropic(settings)('claude-sonnet-4-5'),
  gemini: (settings) => createGoogleGenerativeAI(settings)('gemini-2.5-flash'),
}
const models = [['primary', primary], ['backup', backup]].map(([name, baseURL]) =>
  makers[dialect]({ name, baseURL, apiKey: `sk-${name}` }))

/**
 * A fallback remembers for all its users which model it switched to, and two that switch at once skip a model; so each request
 * has its own, begins with leg 1, and moves on whatever the failure. No retry after output: that would double the text.
 */
const fallback = () => createFallback({ models, shouldRetryThisError: () => true, retryAfterOutput: false })

const settingsOf = ({ messages, temperature, max_tokens: maxOutputTokens }, abortSignal) => ({
  model: fallback(),
  system: messages.filter(({ role }) => role === 'system').map(({ content }) => content).join('\n') || undefined,
  messages: messages.filter(({ role }) => role !== 'system'),
  temperature,
  maxOutputTokens,
  maxRetries: 0,
  abortSignal,
  ...(limitMs === undefined ? {} : { timeout: { chunkMs: limitMs } }),
})

const created = () => Math.floor(Date.now() / 1000)
const chunk = (id, delta, finishReason = null) => `data: ${JSON.stringify({
  id, object: 'chat.completion.chunk', created: created(), model: MODEL, choices: [{ index: 0, delta, finish_reason: finishReason }],
})}\n\n`

async function stream(settings, res) {
  const id = `chatcmpl-${Math.random().toString(36).slice(2)}`
  res.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' })
  for await (const part of streamText({ ...settings, onError: () => {} }).fullStream) {
    if (part.type === 'start') res.write(chunk(id, { role: 'assistant', content: '' }))
    else if (part.type === 'text-delta') res.write(chunk(id, { content: part.text }))
    else if (part.type === 'error') return res.end(`data: ${JSON.stringify({ error: { message: 'the model failed' } })}\n\n`)
    else if (part.type === 'abort') return res.end(`data: ${JSON.stringify({ error: { message: 'aborted' } })}\n\n`)
    else if (part.type === 'finish') res.write(chunk(id, {}, part.finishReason))
  }
  res.end('data: [DONE]\n\n')
}

async function answer(settings, res) {
  const { text, finishReason, usage } = await generateText(settings)
  res.json({
    id: 'chatcmpl-1', object: 'chat.completion', created: created(), model: MODEL,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finishReason }],
    usage: { prompt_tokens: usage.inputTokens, completion_tokens: usage.outputTokens, total_tokens: usage.totalTokens },
  })
}

const app = express()
app.use(express.json())
app.post('/v1/chat/completions', async (req, res) => {
  const gone = new AbortController()
  res.on('close', () => res.writableFinished || gone.abort())
  try {
    await (req.body.stream ? stream : answer)(settingsOf(req.body, gone.signal), res)
  } catch {
    if (res.headersSent) res.destroy()
    else res.status(502).json({ error: { message: 'all models failed' } })
  }
})

listenAndServe(createServer(app))
