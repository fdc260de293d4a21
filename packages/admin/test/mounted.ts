import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createFallback, fileSource } from '@understudy/http'
import type { Fallback, FallbackEvent, FallbackOptions, RoutesInput } from '@understudy/http'

import { adminMiddleware } from '../src/express.js'
import type { HostRequest } from '../src/express.js'
import type { AdminOptions } from '../src/index.js'

export interface Mounted {
  readonly url: string
  readonly fallback: Fallback
  readonly close: () => Promise<void>
}

/** A leg that always says so. */
export function says(name: string, text = `${name} answers`) {
  return { name, async *open() { yield text } }
}

/** A leg that always fails. */
export function fails(name: string) {
  return {
    name,
    // eslint-disable-next-line require-yield -- it fails before it yields
    async *open(): AsyncGenerator<string> {
      throw new Error(`${name} is down`)
    },
  }
}

export const ROUTES: RoutesInput = {
  chat: {
    presets: { normal: [says('first'), says('second')], local_only: { legs: [says('second')], marking: 'degraded' } },
  },
}

/** A `Fallback` with a file that can be written, and its admin surface at `/admin` of a bare server. */
export async function mounted(
  { routes = ROUTES, authorize = () => ({ actor: 'ann' }), options = {}, past = [], fallback: given }: {
    readonly routes?: RoutesInput
    readonly authorize?: AdminOptions<HostRequest>['authorize']
    readonly options?: FallbackOptions
    /** What the surface hears before anything else. */
    readonly past?: readonly FallbackEvent[]
    /** In place of one of its own. */
    readonly fallback?: Fallback
  } = {},
): Promise<Mounted> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-admin-'))
  const logger = { debug() {}, info() {}, warn() {}, error() {} }
  const fallback = given ?? createFallback(routes, {
    logger, chains: { source: fileSource({ path: join(folder, 'chains.json'), write: true }) }, ...options,
  })
  const on: Fallback['on'] = (listener) => {
    past.forEach(listener)
    return fallback.on(listener)
  }
  const admin = adminMiddleware(past.length === 0 ? fallback : { ...fallback, on }, { authorize })
  const server = createServer((req: HostRequest, res) => {
    const url = req.url ?? '/'
    const next = () => res.writeHead(404).end('passed on')
    if (!url.startsWith('/admin')) return next()
    Object.assign(req, { originalUrl: url })
    req.url = url.slice('/admin'.length) || '/'
    admin(req, res, next)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/admin`,
    fallback,
    async close() {
      if (given === undefined) await fallback.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Sends JSON, as a CLI does: no `Origin`. */
export async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST', headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers }, body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() as Record<string, unknown> }
}

/** One request for a completion, straight into the `Fallback`. */
export async function chat(fallback: Fallback, { text = 'hello', headers = {}, stream = false }: {
  readonly text?: string
  readonly headers?: Record<string, string>
  readonly stream?: boolean
} = {}) {
  const bytes = Buffer.from(JSON.stringify({ model: 'chat', stream, messages: [{ role: 'user', content: text }] }))
  const response = await fallback.handle({
    method: 'POST', path: '/v1/chat/completions', query: '', atRoot: false,
    headers: { 'content-type': 'application/json', ...headers },
    readBody: () => Promise.resolve({ type: 'bytes', bytes }),
    signal: new AbortController().signal,
  })
  const chunks: Uint8Array[] = []
  if (response.body instanceof Uint8Array) chunks.push(response.body)
  else for await (const chunk of response.body ?? []) chunks.push(chunk)
  return { status: response.status, headers: response.headers, text: Buffer.concat(chunks).toString() }
}
