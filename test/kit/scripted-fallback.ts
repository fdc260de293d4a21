import type { Fallback, InboundBody, InboundRequest, OutboundResponse } from '@understudy/http'
import { matchPath } from '../../packages/http/src/inbound/paths.js'

/** What a scripted fallback does with a request that is its own. */
export type Script = (request: InboundRequest) => OutboundResponse | Promise<OutboundResponse>

/** A `Fallback` that a test plays: the paths are the real ones, the answers the test's. */
export interface ScriptedFallback extends Fallback {
  /** What to do from now on. The default answers with what arrived. */
  script: Script
  readonly requests: readonly InboundRequest[]
  readonly closes: () => number
}

export const MAX_BODY_BYTES = 100_000

export function scriptedFallback(): ScriptedFallback {
  const requests: InboundRequest[] = []
  let closes = 0
  const fallback: ScriptedFallback = {
    script: echo,
    requests,
    closes: () => closes,
    matches: (method, path, atRoot = false) => matchPath(method, path, { atRoot, shortPaths: false }) !== undefined,
    async handle(request) {
      requests.push(request)
      return await fallback.script(request)
    },
    snapshot: () => ({ routes: [], lastFailures: [], breakers: [], cooldowns: [], openRuns: 0, listenerErrors: 0 }),
    on: () => () => undefined,
    get chains(): Fallback['chains'] {
      throw new Error('a scripted fallback has no chains')
    },
    get drills(): Fallback['drills'] {
      throw new Error('a scripted fallback has no drills')
    },
    closing: new AbortController().signal,
    close() {
      closes += 1
      return Promise.resolve()
    },
  }
  return fallback
}

/** Answers with what arrived. */
export async function echo(request: InboundRequest): Promise<OutboundResponse> {
  const { method, path, query, atRoot } = request
  const body = await request.readBody(MAX_BODY_BYTES)
  return json(statusOf(body), { method, path, query, atRoot, body: describe(body) })
}

export function json(status: number, value: unknown): OutboundResponse {
  const body = Buffer.from(JSON.stringify(value))
  return {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(body.byteLength), 'understudy-route': 'chat' },
    body,
  }
}

export function eventStream(body: AsyncIterable<Uint8Array>): OutboundResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'understudy-route': 'chat',
    },
    body,
  }
}

function statusOf(body: InboundBody): number {
  if (body.type === 'too_large') return 413
  return body.type === 'bytes' || body.type === 'parsed' ? 200 : 400
}

function describe(body: InboundBody): unknown {
  return body.type === 'bytes' ? { type: 'bytes', text: Buffer.from(body.bytes).toString() } : body
}
