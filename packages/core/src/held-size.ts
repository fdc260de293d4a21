import type { Arrival, Part } from './part.js'

/** What an answer may hold while it is kept: what is kept beside its text is counted too, or empty pieces would be free. */
export interface HeldSize {
  /** Adds an arrival; whether all of them are still within the bounds. */
  readonly add: (arrival: Arrival) => boolean
}

/** About what one takes in memory, in bytes, beside its text. */
const ARRIVAL_BYTES = 128
const PART_BYTES = 64

/** Bounds what is kept of an answer, by its events and by its bytes. An arrival without an event counts as one event. */
export function createHeldSize(maxEvents: number, maxBytes: number): HeldSize {
  let events = 0
  let bytes = 0
  return {
    add(arrival) {
      events += Math.max(1, arrival.events)
      bytes += sizeOf(arrival)
      return events <= maxEvents && bytes <= maxBytes
    },
  }
}

/** Bounds a whole answer that is collected before anything of it is sent. */
export function createCollectedSize(): HeldSize {
  return createHeldSize(256 * 1024, 64 * 1024 * 1024)
}

function sizeOf({ parts, bytes }: Arrival): number {
  const fixed = ARRIVAL_BYTES + PART_BYTES * parts.length
  if (bytes !== undefined) return fixed + bytes.length
  return parts.reduce((sum, part) => sum + textLength(part), fixed)
}

function textLength(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text.length
    case 'reasoning':
      return part.text.length + lengthOf(part.signature) + lengthOf(part.redacted)
    case 'tool-call':
      return part.arguments.length + lengthOf(part.name) + lengthOf(part.id)
    case 'start':
      return lengthOf(part.id) + lengthOf(part.model) + lengthOf(part.systemFingerprint)
    case 'finish':
      return lengthOf(part.raw) + lengthOf(part.stopSequence)
    case 'media':
    case 'usage':
    case 'end':
    case 'error':
      return 0
  }
}

function lengthOf(text: string | undefined): number {
  return text?.length ?? 0
}
