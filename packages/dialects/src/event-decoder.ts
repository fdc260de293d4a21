import type { Arrival, Part, ReasoningPart, TextPart } from '@understudy/core'
import { failureOf, youngList } from '@understudy/core'
import { createFrameReader, isFrameTooLargeError, parseFrame, type FrameReader, type Frames } from '@understudy/sse'
import { mayHaveCarriedOutput } from './carried-output.js'
import { DecodedArrival, ForwardedArrival } from './decoded-arrival.js'
import type { StreamDecoder, StreamDecoderOptions } from './dialect-codec.js'
import type { EventDialect } from './event-dialect.js'
import { joinPieces, withStart } from './forwarded-bytes.js'
import { createHeldStart, type HeldStart } from './held-start.js'
import { asBuffer } from './latin1.js'
import { createPlainLook, type PlainLook } from './plain-look.js'
import { END_PART } from './parts.js'
import { preludeNature } from './prelude-nature.js'
import { isObject, parseJson } from './read-json.js'

const MAX_MALFORMED_IN_ROW = 3
const NO_PARTS: readonly Part[] = []
/** Stands for no list: an open stream need not hold its last one. */
const BETWEEN_READS: Part[] = []

/** Decodes a stream of server-sent events: framing, junk, errors and forwarding, the same for every dialect. */
export function createEventDecoder(dialect: EventDialect, options: StreamDecoderOptions): StreamDecoder {
  return new EventDecoder(dialect, options)
}

// A class, since a server holds one for every open stream: closures would take three times the memory.
class EventDecoder implements StreamDecoder {
  readonly #dialect: EventDialect
  readonly #forwardsBytes: boolean
  readonly #reader: FrameReader
  readonly #plainLook: PlainLook | undefined
  /** Until the first event. */
  #heldStart: HeldStart | undefined = createHeldStart()
  /** The text of the last event that was parsed and plain. */
  #text: TextPart | ReasoningPart | undefined
  #isCommitted = false
  #isDone = false
  #malformedInRow = 0
  #hasSkipped = false
  // Of the read at hand.
  #plainEvents = 0
  #parts: Part[] = BETWEEN_READS
  #events = 0
  #skipped = 0
  #opener: string | undefined
  #leading: number | undefined
  /** Until some output has come. */
  #isPrelude = true

  constructor(dialect: EventDialect, { forward, maxFrameBytes, look = true }: StreamDecoderOptions) {
    this.#dialect = dialect
    this.#forwardsBytes = forward === 'bytes'
    this.#reader = createFrameReader({ maxFrameBytes })
    this.#plainLook = look ? createPlainLook(dialect.plainKeys, dialect.plainNumbers) : undefined
  }

  push(bytes: Uint8Array): Arrival | undefined {
    if (this.#isDone) return undefined
    const plain = this.#plainLength(bytes)
    if (plain === 0) {
      this.#heldStart?.take(bytes)
      return this.#read(bytes)
    }
    const events = this.#plainEvents
    if (plain === bytes.length) return new ForwardedArrival(NO_PARTS, bytes, events)
    const rest = this.#read(bytes.subarray(plain))
    if (rest === undefined) return new ForwardedArrival(NO_PARTS, bytes.subarray(0, plain), events)
    return { ...rest, bytes: withStart(bytes, plain, rest.bytes), events: events + rest.events }
  }

  end(): Arrival | undefined {
    if (this.#isDone) return undefined
    const arrival = this.#read(undefined)
    if (this.#isDone || arrival !== undefined) return arrival
    const document = this.#heldStart?.document()
    if (document === undefined) return undefined
    this.#isDone = true
    const { parts, bytes } = this.#dialect.readDocument(document)
    return { parts, events: 1, ...(bytes === undefined || !this.#forwardsBytes ? undefined : { bytes }) }
  }

  committed(): void {
    this.#isCommitted = true
  }

  /**
   * How much of a read, from its first byte on, is nothing but plain frames to be passed on. Most reads are no more than that, and are not even
   * taken apart. Hot: once a read.
   */
  #plainLength(bytes: Uint8Array): number {
    const look = this.#plainLook
    if (look === undefined || !this.#forwardsBytes || !this.#reader.canSkip(bytes)) return 0
    const buffer = asBuffer(bytes)
    let length = 0
    let events = 0
    while (length < buffer.length) {
      const end = look.endOf(buffer, length)
      if (end === -1) break
      length = end
      events++
    }
    if (events > 0) this.#malformedInRow = 0
    this.#plainEvents = events
    return length
  }

  /** What these bytes complete, or the end of the source. */
  #read(bytes: Uint8Array | undefined): Arrival | undefined {
    try {
      const frames = bytes === undefined ? this.#reader.end() : this.#reader.push(bytes)
      return frames === undefined ? undefined : this.#readFrames(frames)
    } catch (error) {
      if (!isFrameTooLargeError(error)) throw error
      this.#isDone = true
      return { parts: [malformed()], events: 1 }
    }
  }

  // Hot. Frames to pass on stay in their read; memory is only touched where one between them is left out.
  #readFrames({ bytes, latin1, ends }: Frames): Arrival | undefined {
    this.#parts = youngList()
    this.#events = 0
    this.#skipped = 0
    this.#leading = undefined
    let pieces: Uint8Array[] | undefined
    let keptFrom = 0
    let keptTo: number | undefined
    let start = 0
    const buffer = asBuffer(bytes)
    for (const end of ends) {
      if (this.#plainLook?.endOf(buffer, start) === end && (this.#forwardsBytes || this.#readPlain(buffer))) {
        this.#events++
        this.#malformedInRow = 0
      } else if (!this.#takeFrame(latin1.slice(start, end))) {
        if (start > keptFrom) (pieces ??= []).push(bytes.subarray(keptFrom, start))
        keptFrom = end
        if (this.#isDone) break
      } else if (this.#opener !== undefined) {
        pieces ??= []
        if (start > keptFrom) pieces.push(bytes.subarray(keptFrom, start))
        pieces.push(Buffer.from(this.#opener, 'utf8'))
        keptFrom = start + emptyLength(latin1, start)
        this.#opener = undefined
      }
      start = end
      if (this.#isDone) {
        keptTo = end
        break
      }
    }
    if (this.#events > 0) this.#heldStart = undefined
    const isKept = this.#forwardsBytes && (!this.#isDone || keptTo !== undefined)
    const kept = isKept ? bytes.subarray(keptFrom, keptTo) : undefined
    return this.#arrivalOf(this.#forwardsBytes ? joinPieces(pieces, kept) : undefined)
  }

  #arrivalOf(bytes: Uint8Array | undefined): Arrival | undefined {
    const parts = this.#parts
    this.#parts = BETWEEN_READS
    const events = this.#events
    const skipped = this.#skipped
    const leading = this.#leading ?? 0
    if (events === 0 && bytes === undefined) return undefined
    if (leading === 0 && skipped === 0) return bytes === undefined ? new DecodedArrival(parts, events) : new ForwardedArrival(parts, bytes, events)
    const arrival: { -readonly [Member in keyof Arrival]: Arrival[Member] } = new DecodedArrival(parts, events)
    if (bytes !== undefined) arrival.bytes = bytes
    if (skipped > 0) arrival.skipped = skipped
    if (leading > 0) arrival.leading = leading
    return arrival
  }

  /** The same as `#readFrame`; up to the first output, what came before it is counted. */
  #takeFrame(frame: string): boolean {
    if (!this.#isPrelude) return this.#readFrame(frame)
    const before = this.#parts.length
    const isKept = this.#readFrame(frame)
    for (let index = before; index < this.#parts.length; index++) {
      const part = this.#parts[index]
      const nature = part === undefined ? 'prelude' : preludeNature(part)
      if (nature !== 'prelude') this.#leading ??= this.#events - 1
      if (nature === 'output') this.#isPrelude = false
    }
    return isKept
  }

  /** Whether the frame is to be passed on. */
  #readFrame(frame: string): boolean {
    const dialect = this.#dialect
    const event = parseFrame(frame)
    if (event === undefined) return this.#readBare(frame)
    this.#events++
    if (dialect.isTerminator(event.data)) return this.#close(END_PART)

    const value = event.data === '' ? null : parseJson(event.data)
    if (value === undefined) return this.#readMalformed(event.data, event.event)
    this.#malformedInRow = 0
    const before = this.#parts.length
    const nature = dialect.read(value, event.event, this.#parts)
    const last = this.#parts.at(-1)?.type
    if (last === 'error' || last === 'end') {
      this.#isDone = true
      return nature === 'last'
    }
    if (nature === 'junk') return this.#skip()
    if (nature === 'ping') {
      this.#events--
      return this.#isCommitted
    }
    if (nature === 'plain') this.#learn(frame, value, before)
    else this.#plainLook?.forget()
    if (this.#forwardsBytes) this.#opener = dialect.missingOpener?.(value, this.#hasSkipped)
    return true
  }

  /** Where the parts are wanted, a plain event says what the one said that it is like, but for its text: what else that was is known. */
  #learn(frame: string, value: unknown, before: number): void {
    if (this.#plainLook === undefined) return
    if (this.#forwardsBytes) {
      this.#plainLook.learn(frame)
      return
    }
    const [text, ...others] = this.#parts.slice(before).filter(isText)
    this.#text = others.length === 0 ? text : undefined
    const key = this.#text === undefined || !isObject(value) ? undefined : this.#dialect.textKeyOf(value)
    this.#plainLook.learn(frame, key === undefined || this.#text === undefined ? undefined : { text: this.#text.text, key })
  }

  /** Whether the event, which is like the one that was learnt, says a text; then its part is there. */
  #readPlain(bytes: Buffer): boolean {
    const text = this.#text === undefined ? undefined : this.#plainLook?.textIn(bytes)
    if (this.#text === undefined || text === undefined || text === '') return false
    this.#parts.push({ ...this.#text, text })
    this.#dialect.saidPlain?.(text)
    return true
  }

  /** A client of the same dialect may take a named event without data for a broken one, so only comments pass. */
  #readBare(frame: string): boolean {
    const failure = this.#dialect.readBare?.(Buffer.from(frame, 'latin1').toString('utf8'))
    if (failure === undefined) return this.#isCommitted && isComment(frame)
    this.#events++
    return this.#close({ type: 'error', failure })
  }

  #readMalformed(data: string, name: string | undefined): false {
    if (name === 'error') return this.#close({ type: 'error', failure: this.#dialect.readFailure(data) })
    this.#malformedInRow++
    if (this.#malformedInRow === MAX_MALFORMED_IN_ROW || mayHaveCarriedOutput(data, this.#dialect.outputKeys)) {
      return this.#close(malformed())
    }
    return this.#skip()
  }

  #skip(): false {
    this.#skipped++
    this.#hasSkipped = true
    return false
  }

  #close(part: Part): false {
    this.#parts.push(part)
    this.#isDone = true
    return false
  }
}

function isText(part: Part): part is TextPart | ReasoningPart {
  return part.type === 'text' || part.type === 'reasoning'
}

function malformed(): Part {
  return { type: 'error', failure: failureOf('malformed') }
}

/** How much stands before the first line of a frame: a byte order mark, empty lines. */
function emptyLength(latin1: string, start: number): number {
  let at = start
  while (EMPTY.includes(latin1.charAt(at)) && at < latin1.length) at++
  return at - start
}

const EMPTY = '\xef\xbb\xbf\r\n'

function isComment(frame: string): boolean {
  return /^(?::[^\r\n]*(?:\r\n|\r|\n)|\r\n|\r|\n)+$/.test(frame)
}
