// Understudy on node:http in front of two legs of the dialect that it is told: the client speaks OpenAI's.
import { fallbackMiddleware } from '@understudy/express'
import { createServer } from 'node:http'
import { options } from './routes.mjs'
import { extra, listenAndServe, primary, backup } from './serve.mjs'

const [dialect] = extra
const model = { openai: 'gpt-4o-mini', anthropic: 'claude-sonnet-4-5', gemini: 'gemini-2.5-flash' }[dialect]
const provider = (baseURL) => ({ dialect, baseURL, apiKey: `sk-${dialect}` })
const providers = { primary: provider(primary), backup: provider(backup) }
const middleware = fallbackMiddleware({ chat: [`primary/${model}`, `backup/${model}`] }, { ...options, providers })

listenAndServe(createServer((req, res) => middleware(req, res, () => res.writeHead(404).end())))
