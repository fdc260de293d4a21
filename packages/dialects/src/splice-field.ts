import { toLatin1 } from './latin1.js'
import { objectMembers } from './object-members.js'

/** Up to the `{` of the first event whose data is an object. */
const TO_FIRST_OBJECT = /(?:^|[\r\n])data:[ \t]*\{/
const BLANK_LINE = /\r\n\r\n|\n\n|\r\r/g
const FIRST_BYTES = 1024
const BRACE = 0x7b
const QUOTE = 0x22
/** Of frames that begin with an event of usual length, all that is looked at: a read may bring many. */
const STREAM_BYTES = 4096

/** Puts `"key":json` in first place of the first event whose data is an object. */
export function spliceStreamField(frames: Uint8Array, key: string, json: string): Uint8Array {
  return spliceFirst(frames, toLatin1(frames.subarray(0, STREAM_BYTES)), key, json)
    ?? (frames.length > STREAM_BYTES ? spliceFirst(frames, toLatin1(frames), key, json) : undefined)
    ?? frames
}

/** The same, if all of that event is in `latin1`, which is the beginning of the frames, or all of them. */
function spliceFirst(frames: Uint8Array, latin1: string, key: string, json: string): Uint8Array | undefined {
  const match = TO_FIRST_OBJECT.exec(latin1)
  if (match === null) return undefined
  const position = match.index + match[0].length
  BLANK_LINE.lastIndex = position
  const limit = BLANK_LINE.exec(latin1)?.index ?? (latin1.length === frames.length ? latin1.length : undefined)
  if (limit === undefined) return undefined
  const event = latin1.slice(position, limit)
  const replaced = mayHave(event, key) ? replaceMember(toLatin1(frames), position, limit, key, json) : undefined
  return replaced ?? splice(frames, position, key, json, /^(?:\s|[\r\n]data:)*\}/.test(event.slice(0, 64)))
}

/** Puts `"key":json` in first place of a JSON object. `members`: the names of those it has, one character a byte, where they are known. */
export function spliceResponseField(body: Uint8Array, key: string, json: string, members?: readonly string[]): Uint8Array {
  const position = bodyStart(body)
  if (position === undefined) return body
  const isThere = members?.includes(asLatin1(key)) ?? mayHave(Buffer.from(body.buffer, body.byteOffset, body.length), key)
  if (isThere) {
    const replaced = replaceMember(toLatin1(body), position, body.length, key, json)
    if (replaced !== undefined) return replaced
  }
  const isEmpty = body[position] !== QUOTE && /^\s*\}/.test(toLatin1(body.subarray(position, position + FIRST_BYTES)))
  return splice(body, position, key, json, isEmpty)
}

/** Behind the brace of an object; in nearly every body that is the first byte. */
function bodyStart(body: Uint8Array): number | undefined {
  if (body[0] === BRACE) return 1
  return /^(?:\xef\xbb\xbf)?\s*\{/.exec(toLatin1(body.subarray(0, FIRST_BYTES)))?.[0].length
}

/** Whether the key is there in so many letters, or something is there that may spell it. One native search each. */
function mayHave(text: string | Buffer, key: string): boolean {
  const quoted = typeof text === 'string' ? asLatin1(JSON.stringify(key)) : JSON.stringify(key)
  return text.includes(quoted) || text.includes('\\u00')
}

function splice(bytes: Uint8Array, position: number, key: string, json: string, isEmpty: boolean): Uint8Array {
  const member = `${JSON.stringify(key)}:${json}${isEmpty ? '' : ','}`
  const length = Buffer.byteLength(member)
  const spliced = Buffer.allocUnsafe(bytes.length + length)
  spliced.set(bytes.subarray(0, position))
  spliced.write(member, position)
  spliced.set(bytes.subarray(position), position + length)
  return spliced
}

/**
 * The same with every member of that key taken out: a provider that is an Understudy itself has told its own part, and of two
 * members with one key a parser takes the last. `undefined` where there is none.
 */
function replaceMember(latin1: string, position: number, limit: number, key: string, json: string): Uint8Array | undefined {
  const object = objectMembers(latin1, position, limit)
  const others = object?.members.filter((member) => member.key !== key)
  if (object === undefined || others === undefined || others.length === object.members.length) return undefined
  const own = asLatin1(`${JSON.stringify(key)}:${json}`)
  const members = [own, ...others.map(({ text }) => text)].join(',')
  return Buffer.from(`${latin1.slice(0, position)}${members}${latin1.slice(object.close)}`, 'latin1')
}

function asLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
