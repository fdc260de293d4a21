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
    case 'reasoning':
    case 'refusal':
      return part.text.length
    case 'tool-call':
      return part.arguments.length + (part.name?.length ?? 0) + (part.id?.length ?? 0)
    case 'start':
      return (part.id?.length ?? 0) + (part.model?.length ?? 0)
    case 'finish':
      return part.raw?.length ?? 0
    case 'media':
    case 'usage':
    case 'end':
    case 'error':
      return 0
  }
}
