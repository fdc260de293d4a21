import { toLatin1 } from './latin1.js'

/** Up to the `{` of the first event whose data is an object. */
const TO_FIRST_OBJECT = /(?:^|[\r\n])data:[ \t]*\{/

/** Puts `"key":json` in first place of the first event whose data is an object. */
export function spliceStreamField(frames: Uint8Array, key: string, json: string): Uint8Array {
  const latin1 = toLatin1(frames)
  const match = TO_FIRST_OBJECT.exec(latin1)
  if (match === null) return frames
  const position = match.index + match[0].length
  const isEmpty = /^(?:\s|[\r\n]data:)*\}/.test(latin1.slice(position, position + 64))
  return splice(frames, position, key, json, isEmpty)
}

/** Puts `"key":json` in first place of a JSON object. */
export function spliceResponseField(body: Uint8Array, key: string, json: string): Uint8Array {
  const start = /^(?:\xef\xbb\xbf)?\s*\{/.exec(toLatin1(body.subarray(0, 1024)))
  if (start === null) return body
  const position = start[0].length
  const isEmpty = /^\s*\}/.test(toLatin1(body.subarray(position, position + 1024)))
  return splice(body, position, key, json, isEmpty)
}

function splice(bytes: Uint8Array, position: number, key: string, json: string, isEmpty: boolean): Uint8Array {
  const member = Buffer.from(`${JSON.stringify(key)}:${json}${isEmpty ? '' : ','}`, 'utf8')
  return Buffer.concat([bytes.subarray(0, position), member, bytes.subarray(position)])
}
