import type { Arrival, Failure, Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { createFrameReader, isFrameTooLargeError, parseFrame, type Frames } from '@understudy/sse'
import { mayHaveCarriedOutput } from './carried-output.js'
import type { StreamDecoder, StreamDecoderOptions } from './dialect-codec.js'
import { createHeldStart } from './held-start.js'
import { createPlainLook } from './plain-look.js'
import { parseJson } from './read-json.js'

/**
 * What an event is to its dialect. `plain`: nothing but output text of the first choice. `event`: anything else of the
 * dialect. `ping`: a sign of life that says nothing, so it counts for no event and passes as a comment does. `junk`: JSON that
 * is none of its events.
 */
export type EventNature = 'plain' | 'event' | 'ping' | 'junk'

/** What a dialect knows about the events of its streams. Its state is one stream's. */
export interface EventDialect {
  /** Appends what an event says to `parts`. An `error` or `end` part, as the last, ends the stream. */
  read(value: unknown, name: string | undefined, parts: Part[]): EventNature
  /** Whether this data, which is no JSON, ends the stream. */
  isTerminator(data: string): boolean
  /** What an event means that is named as an error and holds no JSON. */
  readFailure(text: string): Failure
  /** A source without events whose whole text is this. */
  readDocument(text: Uint8Array): { readonly parts: readonly Part[]; readonly bytes?: Uint8Array | undefined }
  /** Before a value that is output, in text that cannot be parsed: see `mayHaveCarriedOutput`. */
  readonly outputKeys: RegExp
  /** Names of the strings that a plain event may vary in: see `createPlainLook`. */
  readonly plainKeys: readonly string[]
}

const MAX_MALFORMED_IN_ROW = 3

/** Decodes a stream of server-sent events: framing, junk, errors and forwarding, the same for every dialect. */
export function createEventDecoder(dialect: EventDialect, options: StreamDecoderOptions): StreamDecoder {
  const { forward, maxFrameBytes, look = true } = options
  const reader = createFrameReader({ maxFrameBytes })
  const plainLook = forward === 'bytes' && look ? createPlainLook(dialect.plainKeys) : undefined
  const heldStart = createHeldStart()
  let isCommitted = false
  let isDone = false
  let malformedInRow = 0
  // Of the read at hand.
  let parts: Part[] = []
  let events = 0
  let skipped = 0

  function push(bytes: Uint8Array): Arrival | undefined {
    if (isDone) return undefined
    heldStart.take(bytes)
    return readSafely(() => reader.push(bytes))
  }

  function end(): Arrival | undefined {
    if (isDone) return undefined
    const arrival = readSafely(() => reader.end())
    if (isDone || arrival !== undefined) return arrival
    const document = heldStart.document()
    if (document === undefined) return undefined
    isDone = true
    const { parts, bytes } = dialect.readDocument(document)
    return { parts, events: 1, ...(bytes === undefined || forward === 'parts' ? undefined : { bytes }) }
  }

  function readSafely(next: () => Frames | undefined): Arrival | undefined {
    try {
      const frames = next()
      return frames === undefined ? undefined : readFrames(frames)
    } catch (error) {
      if (!isFrameTooLargeError(error)) throw error
      isDone = true
      return { parts: [malformed()], events: 1 }
    }
  }

  // Hot: once a read. Frames to pass on stay in their read; memory is only touched where one between them is left out.
  function readFrames({ bytes, latin1, ends }: Frames): Arrival | undefined {
    parts = []
    events = 0
    skipped = 0
    let pieces: Uint8Array[] | undefined
    let keptFrom = 0
    let start = 0
    for (const end of ends) {
      if (plainLook?.matches(latin1, start, end) === true) {
        events++
        malformedInRow = 0
      } else if (!readFrame(latin1.slice(start, end))) {
        if (start > keptFrom) (pieces ??= []).push(bytes.subarray(keptFrom, start))
        keptFrom = end
        if (isDone) break
      }
      start = end
    }
    if (events > 0) heldStart.drop()
    const kept = forward === 'parts' || isDone ? undefined : bytes.subarray(keptFrom)
    return arrivalOf(forward === 'parts' ? undefined : join(pieces, kept))
  }

  function arrivalOf(bytes: Uint8Array | undefined): Arrival | undefined {
    if (events === 0 && bytes === undefined) return undefined
    if (bytes !== undefined) return skipped === 0 ? { parts, bytes, events } : { parts, bytes, events, skipped }
    return skipped === 0 ? { parts, events } : { parts, events, skipped }
  }

  /** Whether the frame is to be passed on. */
  function readFrame(frame: string): boolean {
    const event = parseFrame(frame)
    // A client of the same dialect may take a named event without data for a broken one, so only comments pass.
    if (event === undefined) return isCommitted && isComment(frame)
    events++
    if (dialect.isTerminator(event.data)) return close({ type: 'end' })

    const value = event.data === '' ? null : parseJson(event.data)
    if (value === undefined) return readMalformed(event.data, event.event)
    malformedInRow = 0
    const nature = dialect.read(value, event.event, parts)
    const last = parts.at(-1)?.type
    if (last === 'error' || last === 'end') {
      isDone = true
      return false
    }
    if (nature === 'junk') {
      skipped++
      return false
    }
    if (nature === 'ping') {
      events--
      return isCommitted
    }
    if (nature === 'plain') plainLook?.learn(frame)
    return true
  }

  function readMalformed(data: string, name: string | undefined): false {
    if (name === 'error') return close({ type: 'error', failure: dialect.readFailure(data) })
    malformedInRow++
    if (malformedInRow === MAX_MALFORMED_IN_ROW || mayHaveCarriedOutput(data, dialect.outputKeys)) {
      return close(malformed())
    }
    skipped++
    return false
  }

  function close(part: Part): false {
    parts.push(part)
    isDone = true
    return false
  }

  return {
    push,
    end,
    committed() {
      isCommitted = true
    },
  }
}

function malformed(): Part {
  return { type: 'error', failure: failureOf('malformed') }
}

function isComment(frame: string): boolean {
  return /^(?::[^\r\n]*(?:\r\n|\r|\n)|\r\n|\r|\n)+$/.test(frame)
}

function join(pieces: Uint8Array[] | undefined, last: Uint8Array | undefined): Uint8Array | undefined {
  const hasLast = last !== undefined && last.length > 0
  if (pieces === undefined) return hasLast ? last : undefined
  if (hasLast) pieces.push(last)
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
}
