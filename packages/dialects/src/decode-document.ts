import type { Part } from '@understudy/core'
import type { ResponseSituation } from './dialect-codec.js'
import { decodeLatin1, decodeText, isObject, parseJson } from './read-json.js'

/** What a whole JSON answer says. */
export interface DecodedResponse {
  readonly parts: readonly Part[]
  /**
   * The names of the document's own members, one character a byte. Absent where it is not forwarded, and where it is no object or an error:
   * whether a member is there then has to be looked up.
   */
  readonly members?: readonly string[] | undefined
}

/** A document of less is read as it is. */
const LONG_DOCUMENT = 4096
const LONG_TEXT = 1024
/** A longer slice is none of its own: V8 has it point into the whole text. */
const KEPT_TEXT = 12
/** A list of more is no list of choices or of blocks, and not looked through. */
const MANY = 64
/** Of the texts that answers say, none is deeper. */
const MAX_DEPTH = 8

/**
 * A whole answer as `read` finds its parts in the JSON value.
 *
 * Hot for long answers that are forwarded, of whose parts no text is read. All of JSON's own characters are ASCII, and decoding UTF-8 costs
 * more than all the rest; and the parts hold only the beginning of a long text, so that it lives no longer than the reading: 64 KB and more
 * of each request outlived a collection, were copied, and took twice the time of all the rest.
 */
export function decodeDocument(
  body: Uint8Array,
  { isForwarded = false }: Pick<ResponseSituation, 'isForwarded'>,
  read: (value: unknown) => readonly Part[],
): DecodedResponse {
  if (isForwarded) {
    const value = parseJson(decodeLatin1(body))
    if (body.length > LONG_DOCUMENT) cutTexts(value, MAX_DEPTH)
    const parts = read(value)
    if (parts[0]?.type !== 'error') return { parts, members: isObject(value) ? Object.keys(value) : undefined }
  }
  return { parts: read(parseJson(decodeText(body))) }
}

/** Cuts what is long, in place. */
function cutTexts(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || depth === 0) return
  if (Array.isArray(value) && value.length > MANY) return
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== 'string') cutTexts(member, depth - 1)
    else if (member.length > LONG_TEXT) Reflect.set(value, key, member.slice(0, KEPT_TEXT))
  }
}
