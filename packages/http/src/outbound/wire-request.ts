import type { ChatRequest, Dialect } from '@understudy/core'
import type { JsonObject } from './json-members.js'
import { isHeaderValue } from './request-headers.js'

/** A request that came over HTTP, and what of it may reach a leg of the same dialect. */
export interface WireRequest extends ChatRequest {
  readonly dialect: Dialect
  /** The client's body as it came, decompressed; absent where a host parsed it and kept no bytes. Never written to. */
  readonly raw?: Uint8Array | undefined
  /** The client's headers that say how its dialect is meant; others than those below are left out. */
  readonly passHeaders?: Readonly<Record<string, string>> | undefined
  /** The request in neutral form, made when it is first asked for. */
  readonly neutral: () => ChatRequest
  /** The body as legs of its own dialect scanned it; `undefined` until one did. */
  scanned?: ScannedBody | undefined
}

/** A body, and where its members stand. */
export interface ScannedBody {
  readonly bytes: Buffer
  readonly object: JsonObject
}

/** The neutral form of a request, whether it came over HTTP or not. */
export function neutralOf(request: ChatRequest | WireRequest): ChatRequest {
  return 'neutral' in request ? request.neutral() : request
}

/** The headers of a client that reach a leg of its own dialect. No other does. */
export const PASSED_HEADERS = ['anthropic-version', 'anthropic-beta', 'openai-beta'] as const

/** The bytes of a request that has them. */
export function rawOf(request: ChatRequest): Uint8Array | undefined {
  return 'raw' in request && request.raw instanceof Uint8Array ? request.raw : undefined
}

/**
 * Names and values, in turn, of the client's headers that a leg of the same dialect is sent. At a cloud the body says the version, and at
 * Bedrock what is tried out as well.
 */
export function passedHeadersOf(request: ChatRequest, cloud?: 'bedrock' | 'vertex'): readonly string[] {
  if (cloud === 'bedrock') return []
  return Object.entries(passedOf(request)).filter(([name]) => cloud === undefined || name !== 'anthropic-version').flat()
}

/** The client's headers that a leg of the same dialect is sent. */
export function passedOf(request: ChatRequest): Readonly<Record<string, string>> {
  if (!('passHeaders' in request) || typeof request.passHeaders !== 'object' || request.passHeaders === null) return {}
  const given = new Map<string, unknown>(Object.entries(request.passHeaders))
  return Object.fromEntries(PASSED_HEADERS.flatMap((name) => {
    const value = given.get(name)
    return isHeaderValue(value) ? [[name, value] as const] : []
  }))
}
