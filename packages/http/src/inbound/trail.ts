import type { AttemptRecord } from '@understudy/core'
import { isDrilledFailure, legName, phaseOf, reasonOf } from '@understudy/core'

/** Text for a header: every byte outside 0x20-0x7E, and the percent sign itself, percent-encoded. */
export function headerText(text: string): string {
  return /^[\x20-\x24\x26-\x7e]*$/.test(text) ? text : encodeBytes(text)
}

function encodeBytes(text: string): string {
  let encoded = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    encoded +=
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

/** Text for a string of a structured header, without its quotes. */
function quotedText(text: string): string {
  return /^[\x20\x21\x23\x24\x26-\x5b\x5d-\x7e]*$/.test(text) ? text : headerText(text).replace(/["\\]/g, '\\$&')
}

/**
 * The trail as a list of strings with parameters (RFC 9651, sections 3.1 and 3.3.3): an item for each attempt and each leg
 * left out.
 */
export function trailHeader(trail: readonly AttemptRecord[]): string {
  return trail.map(trailItem).join(', ')
}

/** The item of an attempt that served, but for its milliseconds, which end it. */
export function servedItem(leg: { readonly provider: string; readonly model: string }): string {
  return `"${quotedText(legName(leg))}";outcome=served;ms=`
}

function trailItem(record: AttemptRecord): string {
  if (record.outcome === 'served') return `${servedItem(record)}${Math.round(record.latencyMs)}`
  const name = quotedText(legName(record))
  const reason = reasonOf(record)
  const phase = phaseOf(record)
  const feature = record.outcome === 'skipped' ? record.feature : undefined
  const ms = record.outcome === 'skipped' ? 0 : Math.round(record.latencyMs)
  return (
    `"${name}";outcome=${record.outcome}` +
    (reason === undefined ? '' : `;reason=${reason}`) +
    (phase === undefined ? '' : `;phase=${phase}`) +
    (record.outcome === 'failed' && isDrilledFailure(record.failure) ? ';drill' : '') +
    (feature === undefined ? '' : `;feature=${feature}`) +
    `;ms=${ms}`
  )
}
