import type { Failure, FailureKind } from '@understudy/core'
import { advanceKinds, legName } from '@understudy/core'
import { z } from 'zod'

import type { Rejection } from './rejection.js'
import type { RunnableRoute } from './routes.js'

/** What a request says that only one dialect can say. */
export interface NativeAsk {
  /** Laid over the body that a leg is sent; nothing where the client speaks that dialect itself. */
  readonly members: Readonly<Record<string, unknown>> | undefined
}

const DIALECT = 'gemini'

const ADVANCE: ReadonlySet<FailureKind> = advanceKinds('retryable')

const vertexBlock = z.strictObject({
  cached_content: z.string().min(1).nullish(),
  response_schema: z.looseObject({}).nullish(),
  thinking_config: z.looseObject({}).nullish(),
})

/**
 * What a body says that only Gemini can: in an OpenAI body a `vertex` block, or media in a bucket beside one; in a Gemini body a cached
 * content, or media in a bucket. `undefined` for every other body, at the price of a look at one member.
 */
export function nativeAsk(dialect: string, body: Readonly<Record<string, unknown>>): NativeAsk | { readonly rejection: Rejection } | undefined {
  if (dialect === DIALECT) return isNativeContent(body) ? { members: undefined } : undefined
  const { vertex } = body
  if (vertex === undefined || vertex === null || dialect !== 'openai') return undefined
  const read = vertexBlock.safeParse(vertex, { jitless: true })
  if (!read.success) {
    const [issue] = read.error.issues
    const param = ['vertex', ...(issue?.path ?? [])].map(String).join('.')
    const message = `${param}: ${issue?.message ?? 'has the wrong shape'}; it may hold cached_content, response_schema and thinking_config`
    return { rejection: { status: 400, code: 'invalid_request_error', message, param } }
  }
  const said = Object.entries(read.data).filter(([, value]) => value !== undefined && value !== null)
  return said.length > 0 || hasStorage(body['messages'], 'content') ? { members: Object.fromEntries(said) } : undefined
}

/**
 * The legs of a chain that can say it, and the rules of their lane: the first that accepts is kept to, and only what another may not meet
 * moves on.
 */
export function nativeRoute(route: RunnableRoute): RunnableRoute | { readonly rejection: Rejection } {
  const legs = route.legs.filter((leg) => route.dialectOf.get(leg) === DIALECT)
  const [first] = legs
  if (first === undefined) {
    const message = `the request says what only Gemini can say, and route '${route.name}' has no leg of that dialect`
    return { rejection: { status: 400, code: 'native_feature_unsupported', message } }
  }
  const settings = { ...route.settings, advance: ADVANCE, commit: 'established' as const }
  return { ...route, legs, first: legName(first), settings, lane: 'native' }
}

/** Whether a failure is an answer of the provider that the request is at fault. */
export function isNativeFault({ status, kind }: Failure): boolean {
  if (status === undefined) return kind === 'invalid_request' || kind === 'context_length' || kind === 'content_filter'
  return status >= 400 && status < 500 && !ADVANCE.has(kind)
}

function isNativeContent(body: Readonly<Record<string, unknown>>): boolean {
  return isSet(body['cachedContent']) || isSet(body['cached_content']) || hasStorage(body['contents'], 'parts')
}

function hasStorage(turns: unknown, held: 'content' | 'parts'): boolean {
  return itemsOf(turns).some((turn) => itemsOf(member(turn, held)).some(isInStorage))
}

/** Whether an image or a file of a turn stands in a bucket of Google's storage, which no other vendor can read. */
function isInStorage(part: unknown): boolean {
  const media = member(part, 'image_url') ?? member(part, 'file') ?? member(part, 'fileData') ?? member(part, 'file_data')
  return [media, ...['url', 'file_url', 'file_data', 'fileUri', 'file_uri'].map((key) => member(media, key))]
    .some((uri) => typeof uri === 'string' && /^gs:\/\//i.test(uri))
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}
