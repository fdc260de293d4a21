import type { ServerSentEvent } from './parse-frame.js'

/**
 * One event as text, its blank line included. Data of several lines becomes several `data:` lines, so CR and CRLF in it
 * arrive as LF. Throws a `TypeError` for an `event` or `id` that would break out of its line or be ignored.
 */
export function encodeEvent({ event, data, id }: ServerSentEvent): string {
  const eventLine = event === undefined ? '' : `event: ${singleLine('event', event)}\n`
  const idLine = id === undefined ? '' : `id: ${singleLine('id', id)}\n`
  return `${eventLine}${idLine}data: ${data.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`
}

/**
 * A comment line, without a blank line after it, so it may stand before any frame. Line ends at the end of `text` are
 * left out, others become spaces.
 */
export function encodeComment(text: string): string {
  return `: ${text.trimEnd().replace(/[\r\n]+/g, ' ')}\n`
}

function singleLine(field: 'event' | 'id', value: string): string {
  if (/[\r\n\0]/.test(value)) {
    throw new TypeError(`${field} must be one line without NUL, received ${JSON.stringify(value.slice(0, 80))}`)
  }
  return value
}
