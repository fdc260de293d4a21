import type { Arrival, ChatRequest, Dialect, LegAnswer, LegContext, Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import type { ResolvedProvider } from '@understudy/config'
import type { DialectCodec } from '@understudy/dialects'
import { createFrameReader } from '@understudy/sse'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { createProviderAgents } from '../../src/outbound/agents.js'
import type { HttpLegOptions, WritableLeg } from '../../src/outbound/http-leg.js'
import { createHttpLeg } from '../../src/outbound/http-leg.js'
import type { WireRequest } from '../../src/outbound/wire-request.js'

/** Planted where a credential stands; must turn up nowhere but on the wire. */
export const CANARY = 'sk-canary-4711'

/** A dialect as plain as can be: `data: x` is the text `x`, `data: [DONE]` the end; JSON is `{"text": ...}`. */
export function plainCodec(): DialectCodec & { commits: number } {
  const notCalled = (): never => {
    throw new Error('a leg does not encode for clients')
  }
  const codec = {
    commits: 0,
    name: 'openai' as const,
    encodeRequest: (request: ChatRequest, model: string) => ({ encoded: true, model, stream: request.stream }),
    createStreamDecoder: ({ forward }: { forward: 'bytes' | 'parts' }) => {
      const reader = createFrameReader()
      const arrivalOf = (frames: ReturnType<typeof reader.push>): Arrival | undefined => {
        if (frames === undefined) return undefined
        const parts = frames.latin1
          .split('\n')
          .filter((line) => line.startsWith('data: '))
          .map((line): Part => (line === 'data: [DONE]' ? { type: 'end' } : { type: 'text', text: line.slice(6) }))
        return { parts, events: frames.ends.length, ...(forward === 'bytes' ? { bytes: frames.bytes } : undefined) }
      }
      return {
        push: (bytes: Uint8Array) => arrivalOf(reader.push(bytes)),
        end: () => arrivalOf(reader.end()),
        committed: () => {
          codec.commits += 1
        },
      }
    },
    decodeResponse: (body: Uint8Array) => {
      try {
        const { text } = JSON.parse(Buffer.from(body).toString()) as { text: string }
        return { parts: [{ type: 'text' as const, text }, { type: 'end' as const }] }
      } catch {
        return { parts: [{ type: 'error' as const, failure: failureOf('malformed') }] }
      }
    },
    decodeFailure: ({ status, headers, body }: { status: number; headers: object; body: string }) =>
      failureOf('server_error', {
        status,
        providerMessage: body,
        retryAfterMs: 'retry-after' in headers ? Number(headers['retry-after']) * 1000 : undefined,
      }),
    outlineRequest: ({ n }: Readonly<Record<string, unknown>>) => ({
      model: undefined,
      stream: false,
      choices: typeof n === 'number' ? n : 1,
      reasoning: false,
      includeUsage: false,
    }),
    decodeRequest: notCalled,
    createStreamEncoder: notCalled,
    encodeResponse: notCalled,
    encodeFailure: notCalled,
    encodeStreamFailure: notCalled,
    streamTerminator: new Uint8Array(),
    withStreamField: notCalled,
    withResponseField: notCalled,
  }
  return codec
}

export function providerOf(baseURL: string, overrides: Partial<ResolvedProvider> = {}): ResolvedProvider {
  return {
    name: 'acme',
    dialect: 'openai',
    baseURL,
    credential: () => CANARY,
    headers: () => ({}),
    breaker: undefined,
    azure: undefined,
    ...overrides,
  }
}

type Overrides = Pick<Partial<WireRequest>, 'raw' | 'passHeaders'> & { readonly dialect?: Dialect }

/** A request as it comes from `body`, an object or the JSON text itself. */
export function requestOf(body: string | object, overrides: Overrides = {}): WireRequest {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const parsed = JSON.parse(text) as { model?: string; stream?: boolean }
  return {
    dialect: 'openai',
    model: parsed.model,
    stream: parsed.stream === true,
    messages: [],
    body: parsed as Record<string, unknown>,
    raw: Buffer.from(text),
    scanned: undefined,
    neutral: () => ({ dialect: overrides.dialect ?? 'openai', stream: parsed.stream === true, messages: [] }),
    ...overrides,
  }
}

export const STREAM_REQUEST = { model: 'chat', stream: true, messages: [] }
export const JSON_REQUEST = { model: 'chat', messages: [] }

/** A leg on `baseURL` with agents that end with the test. */
export function legOn(t: Test, baseURL: string, overrides: Partial<HttpLegOptions> = {}): WritableLeg {
  const agents = overrides.agents ?? createProviderAgents({ proxy: { type: 'none' } })
  t.teardown(() => agents.close())
  return createHttpLeg({
    provider: providerOf(baseURL),
    codec: plainCodec(),
    model: 'm-1',
    bufferedVia: 'json',
    ...overrides,
    agents,
  })
}

export interface TestContext extends LegContext {
  readonly abort: (reason?: unknown) => void
  readonly connects: () => number
}

export function contextOf(): TestContext {
  const controller = new AbortController()
  let connects = 0
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    onConnect: () => {
      connects += 1
    },
    connects: () => connects,
  }
}

export interface TestServer {
  readonly url: string
  readonly port: number
  readonly server: Server
  /** Requests, with their bodies, in order. */
  readonly calls: readonly { readonly request: IncomingMessage; readonly body: Buffer }[]
  readonly connections: () => number
  readonly open: () => number
}

/** A server on loopback that reads each body and then answers. */
export async function serve(
  t: Test,
  answer: (response: ServerResponse, body: Buffer, request: IncomingMessage) => void,
): Promise<TestServer> {
  const calls: { request: IncomingMessage; body: Buffer }[] = []
  const listener: RequestListener = (request, response) => {
    response.on('error', () => undefined)
    void buffer(request).then(
      (body) => {
        calls.push({ request, body })
        answer(response, body, request)
      },
      () => undefined,
    )
  }
  const server = createServer(listener)
  const { port, sockets, total } = await listen(t, server)
  return { url: `http://127.0.0.1:${port}`, port, server, calls, connections: total, open: () => sockets.size }
}

/** Puts any server on a free port and ends it, its connections too, with the test. */
export async function listen(t: Test, server: NetServer) {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, sockets, total: () => connections }
}

export async function arrivalsOf(answer: LegAnswer): Promise<Arrival[]> {
  const arrivals: Arrival[] = []
  for await (const arrival of answer.arrivals) arrivals.push(arrival)
  return arrivals
}

export async function partsOf(answer: LegAnswer): Promise<Part[]> {
  return (await arrivalsOf(answer)).flatMap((arrival) => arrival.parts)
}

export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('')
}

/** What a promise rejected with. */
export async function rejection(promise: unknown): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}
