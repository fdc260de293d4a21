import type { ChatRequest } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'
import type { ClientCall, ClientEntry } from './client-call.js'
import { withoutIdentity } from './client-call.js'
import type { RequestParams } from './options.js'

/** Fields that some take for the way to one endpoint; they are no other endpoint's business. */
const ENDPOINT_FIELDS: ReadonlySet<string> = new Set(['extra_body', 'extra_headers', 'extra_query'])

/**
 * The body that an entry is asked with: the call's own where the entry speaks the caller's dialect, a translated one where it
 * does not. Made new each time. Throws an `UntranslatableRequestError` for what the entry's dialect cannot say.
 */
export function bodyFor(entry: ClientEntry, call: ClientCall, model: string): RequestParams {
  const { params, globalParams } = call
  const { codec } = entry.dialect
  if (entry.isPrimary) return mended(codec, { ...globalParams, ...params }, model)
  const defaults = withoutIdentity(entry.defaultParams)
  if (entry.dialect !== call.dialect) return translated(codec, call, defaults, model)
  const body = Object.entries({ ...globalParams, ...defaults, ...params }).filter(([key]) => !ENDPOINT_FIELDS.has(key))
  return mended(codec, Object.fromEntries(body), model)
}

/** Without what an earlier answer of another dialect's entry had to make up. */
function mended(codec: DialectCodec, body: RequestParams, model: string): RequestParams {
  return { ...body, ...codec.mendedMembers?.(body, model), model }
}

function translated(codec: DialectCodec, call: ClientCall, defaults: RequestParams, model: string): RequestParams {
  const request = {
    ...call.request,
    ...wordsOf(codec, defaults),
    ...wordsOf(call.dialect.codec, call.params),
  }
  // What the neutral form has words for is in the encoded body already, perhaps under another name.
  const other = Object.entries(defaults).filter(([key, value]) => Object.keys(wordsOf(codec, { [key]: value })).length === 0)
  return { ...Object.fromEntries(other), ...codec.encodeRequest(request, model) }
}

/** What parameters say in the neutral form. */
function wordsOf(codec: DialectCodec, params: RequestParams): Partial<ChatRequest> {
  const decoded = codec.decodeRequest(params)
  const isWord = ([key, value]: [string, unknown]): boolean => value !== undefined && !STRUCTURE.has(key)
  return Object.fromEntries(Object.entries(decoded).filter(isWord))
}

/** What is no parameter: the conversation, and how the request travels. */
const STRUCTURE: ReadonlySet<string> = new Set(['body', 'dialect', 'messages', 'model', 'stream', 'unsaid'])
