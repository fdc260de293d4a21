import type { ChatRequest } from '@understudy/core'
import type { ProviderCodec } from '@understudy/dialects'
import { isUntranslatableRequestError, UntranslatableRequestError } from '@understudy/dialects'
import { scanObject } from './json-members.js'
import { beyondMinimal } from './minimal.js'
import type { BodyEdits } from './splice-body.js'
import { spliceBody } from './splice-body.js'
import type { ScannedBody, WireRequest } from './wire-request.js'
import { neutralOf, passedOf, rawOf } from './wire-request.js'

/** Fields that are ours to read and no provider's. */
export const TRANSPORT_FIELDS: ReadonlySet<string> = new Set([
  'models',
  'fallback_models',
  'redundancy',
  'idempotent',
  'vertex',
  'jev',
])

/** The same, and what a dialect says in the path where others have a field. */
const SAID_IN_PATH: ReadonlySet<string> = new Set([...TRANSPORT_FIELDS, 'model', 'stream'])

/** What a leg makes of every body. */
export interface BodySettings {
  readonly codec: ProviderCodec
  /** `undefined` keeps the request's own model. */
  readonly model: string | undefined
  /** Under what the request sets. `model` and `stream` in it count for nothing. */
  readonly defaults: Readonly<Record<string, unknown>>
  /** Fills the defaults into a request of another dialect, which they are then in. Default: they count for nothing there. */
  readonly fill?: ((request: ChatRequest) => ChatRequest) | undefined
  /** Whether a request of another dialect may say no more than text, images and tools. Default false. */
  readonly isMinimal?: boolean | undefined
}

/** A request of another dialect in the words of the leg's, streamed or not. */
export interface Translation {
  /** `undefined`: it could not be made. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** The structural name of what the dialect has no words for, or what no provider of it can know. */
  readonly unsayable?: string | undefined
}

/**
 * Makes the bytes that a request is sent as. `streamed` asks for a stream whatever the client asked for. `translation`: of this request, if
 * it was made before.
 */
export type BodyWriter = (request: ChatRequest, streamed: boolean, translation?: Translation) => Buffer

/** Translates a request; nothing is made of one of the same dialect, which may go on from what no provider knows. */
export function translate(request: ChatRequest, streamed: boolean, settings: BodySettings): Translation {
  if (isSameDialect(request, settings.codec)) {
    const unsayable = settings.codec.unknownState?.(request.body ?? {})
    return unsayable === undefined ? SAME : { unsayable }
  }
  try {
    return { body: encode(request, streamed, settings) }
  } catch (error) {
    // Anything else is the attempt's own failure.
    return isUntranslatableRequestError(error) ? { unsayable: error.feature } : SAME
  }
}

const SAME: Translation = {}

function encode(request: ChatRequest, stream: boolean, settings: BodySettings): Record<string, unknown> {
  const { codec, model, fill, isMinimal = false } = settings
  const read = neutralOf(request)
  const neutral = fill === undefined ? read : fill(read)
  const asked = neutral.stream === stream ? neutral : { ...neutral, stream }
  const feature = isMinimal ? beyondMinimal(asked) : undefined
  if (feature !== undefined) throw new UntranslatableRequestError({ source: asked.dialect, target: codec.name, feature })
  return codec.encodeRequest(asked, model ?? request.model ?? '')
}

/** Prepares what all bodies of a leg have in common. */
export function bodyWriter(settings: BodySettings): BodyWriter {
  const { codec, model, defaults } = settings
  const set = new Map<string, Buffer>()
  const inPath = codec.modelInPath === true
  if (model !== undefined && !inPath) set.set('model', jsonBytes(model))
  const plain: BodyEdits = { set, defaults: defaultBytes(defaults), remove: inPath ? SAID_IN_PATH : TRANSPORT_FIELDS }

  return (request, streamed, translation) => {
    const forced = streamed && !request.stream && !inPath
    if (isSameDialect(request, codec)) {
      const body = scannedBodyOf(request)
      const own = codec.ownMembers === undefined ? plain : withOwn(plain, codec.ownMembers(request.stream || streamed, passedOf(request)))
      const mended = codec.mendedMembers?.({ ...defaults, ...request.body }, model ?? request.model ?? '')
      const edits = mended === undefined ? own : withOwn(own, mended)
      if (body !== undefined) return spliceBody(body.bytes, body.object, forced ? asStream(edits, request) : edits)
    }
    const encoded = translation?.body ?? encode(request, request.stream || streamed, settings)
    // A request that was on no wire takes its defaults in this dialect.
    const filled = request.dialect === undefined ? { ...defaults, ...encoded } : encoded
    const usage = streamed && codec.name === 'openai' ? { stream_options: withUsage(filled['stream_options']) } : {}
    return jsonBytes({ ...filled, ...usage })
  }
}

/** A member that is `undefined` is taken out. */
function withOwn(edits: BodyEdits, members: Readonly<Record<string, unknown>>): BodyEdits {
  const set = new Map(edits.set)
  const remove = new Set(edits.remove)
  for (const [key, value] of Object.entries(members)) {
    set.delete(key)
    remove.delete(key)
    if (value === undefined) remove.add(key)
    else set.set(key, jsonBytes(value))
  }
  return { ...edits, set, remove }
}

/** Whether a request's body and answer are in the leg's dialect already. */
export function isSameDialect(request: ChatRequest, codec: ProviderCodec): boolean {
  return request.dialect === codec.name && (request.body !== undefined || rawOf(request) !== undefined)
}

/** A body is scanned once, however many legs are tried. Kept with the request: in a `WeakMap` it would outlive it. */
function scannedBodyOf(request: ChatRequest | WireRequest): ScannedBody | undefined {
  const known = 'scanned' in request ? request.scanned : undefined
  if (known !== undefined) return known
  const body = scan(rawOf(request)) ?? scan(request.body === undefined ? undefined : jsonBytes(request.body))
  if ('scanned' in request) request.scanned = body
  return body
}

function scan(bytes: Uint8Array | undefined): ScannedBody | undefined {
  if (bytes === undefined) return undefined
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const object = scanObject(buffer)
  return object === undefined ? undefined : { bytes: buffer, object }
}

function asStream(edits: BodyEdits, request: ChatRequest): BodyEdits {
  const set = new Map(edits.set)
  set.set('stream', jsonBytes(true))
  if (request.dialect === 'openai') set.set('stream_options', jsonBytes(withUsage(request.body?.['stream_options'])))
  return { ...edits, set }
}

/** An OpenAI stream counts tokens only if it is asked to. */
function withUsage(options: unknown): Record<string, unknown> {
  return { ...(typeof options === 'object' ? options : {}), include_usage: true }
}

function defaultBytes(defaults: Readonly<Record<string, unknown>>): ReadonlyMap<string, Buffer> {
  const bytes = new Map<string, Buffer>()
  for (const [key, value] of Object.entries(defaults)) {
    if (key !== 'model' && key !== 'stream' && value !== undefined) bytes.set(key, jsonBytes(value))
  }
  return bytes
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}
