import { createServer } from 'node:http'
import type { FallbackOptions } from '@understudy/http'
import { createFallback, fallbackMiddleware } from '@understudy/express'
import express from 'express'
import { connectStore } from '../kit/socket-store.js'

// One of several processes that share the health of their providers. Its parent says what it shares, and when it ends.

export interface HealthProcessSetUp {
  readonly storePort: number
  /** The base URLs of both legs. */
  readonly urls: readonly string[]
  readonly breaker: NonNullable<FallbackOptions['breaker']>
  readonly patience: Omit<NonNullable<FallbackOptions['health']>, 'store'>
}

/** What it tells its parent. */
export type HealthProcessWord = { readonly port: number } | { readonly lines: readonly string[] }

const { storePort, urls, breaker, patience } = JSON.parse(process.env.HEALTH_PROCESS ?? '{}') as HealthProcessSetUp
const lines: string[] = []
const line = (fields: Readonly<Record<string, unknown>>, message: string): void => void lines.push(`${String(fields.code ?? '-')} ${message}`)
const store = connectStore(storePort)
const fallback = createFallback({ chat: ['first/m', 'second/m'] }, {
  providers: Object.fromEntries(['first', 'second'].map((name, index) => [name, { dialect: 'openai', baseURL: urls[index] ?? '' }])),
  proxy: false,
  breaker,
  health: { store, ...patience },
  logger: { debug() {}, info: line, warn: line, error: line },
})
const server = createServer(express().use(fallbackMiddleware(fallback)))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port } satisfies HealthProcessWord)
})

process.on('message', (word) => {
  if (word === 'lines') process.send?.({ lines } satisfies HealthProcessWord)
  if (word === 'close') void close()
})

/** The host's own order: the `Fallback` first, then the store that it was given. It must then end by itself. */
async function close(): Promise<void> {
  server.close()
  await fallback.close()
  store.close()
  process.disconnect()
}
