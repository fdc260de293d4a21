import { BomFilter } from './bom-filter.js'
import { ByteBuffer } from './byte-buffer.js'
import { FrameScanner } from './frame-scanner.js'
import { FrameTooLargeError } from './frame-too-large-error.js'
import { isWholeData } from './is-whole-data.js'
import { fromLatin1, toLatin1 } from './latin1.js'
import { parseFrame } from './parse-frame.js'

/** The whole frames of one read, in order, back to back. A frame is a block of lines up to and with its blank line. */
export interface Frames {
  /**
   * The frames as they came. Shares memory with the read where nothing had to be joined or left out, so it must not be
   * written to.
   */
  readonly bytes: Uint8Array
  /** `bytes`, one character (0 to 255) each: a position in it is a position in `bytes`. */
  readonly latin1: string
  /** `ends[i]` is the offset just past frame `i`, which starts at `ends[i - 1] ?? 0`. Never empty. */
  readonly ends: readonly number[]
}

/** Cuts a stream of bytes into whole frames. Its state is one stream's: make one a stream. */
export interface FrameReader {
  /**
   * Whole frames that this read completed, or `undefined` if none.
   *
   * Throws a `FrameTooLargeError` once a frame passes `maxFrameBytes`, after the frames before it were given out, and
   * at every later call.
   */
  push(bytes: Uint8Array): Frames | undefined
  /**
   * To be called once, at the end of the stream. A last frame without its blank line counts only if its data is
   * `[DONE]` or whole JSON, and is then given its blank line; anything else is a cut event and `undefined`.
   */
  end(): Frames | undefined
  /** Bytes held back because their frame has not ended. */
  readonly bufferedBytes: number
  /**
   * Whether a caller who knows by himself that this read is nothing but whole frames, with nothing between them, need not push it: no part of
   * a frame is held back, and none of them can be too large.
   */
  canSkip(bytes: Uint8Array): boolean
}

/** Byte-order marks at the start of a line. One that is all of its line stays, or the line would be blank and end the frame. */
const marks = /(?<=^|[\r\n])(?:\xef\xbb\xbf)+(?=[^\r\n])/g

/** What bounds a frame reader. */
export interface FrameReaderOptions {
  /** The most bytes one frame may have, its blank line included. Default 8 MiB. More throws. */
  readonly maxFrameBytes?: number | undefined
}

/**
 * Makes a reader for one stream. Line ends may be LF, CRLF and CR, mixed. Blank lines that end nothing and a byte-order
 * mark at the start of a line are left out; every other byte is passed on as it came.
 *
 * By the standard a mark is one only at the very start of a stream; later it is the first letter of a field's name, and
 * nobody knows that field. But it comes from streams that were joined, so what stands behind it is an event of the
 * answer, and a client would lose it without a word.
 *
 * A blank line that is a bare CR is complete at once, and is written out as CRLF: a client may wait for the LF that
 * could still follow, and would see each event one event late and the last one never.
 */
export function createFrameReader(options?: FrameReaderOptions): FrameReader {
  return new Reader(options)
}

// A class, since a server holds one for every open stream: closures would take three times the memory.
class Reader implements FrameReader {
  readonly #maxFrameBytes: number
  readonly #bom = new BomFilter()
  readonly #scanner = new FrameScanner()
  readonly #pending = new ByteBuffer()
  #failed: FrameTooLargeError | undefined

  constructor({ maxFrameBytes = 8 * 1024 * 1024 }: FrameReaderOptions = {}) {
    this.#maxFrameBytes = maxFrameBytes
  }

  // Hot: once a read. A byte is decoded and searched once when it arrives, and copied and decoded again only if its
  // frame spans reads.
  push(read: Uint8Array): Frames | undefined {
    if (this.#failed !== undefined) throw this.#failed
    const pending = this.#pending
    const input = this.#bom.filter(read)
    const inputText = toLatin1(input)
    const { text, ends } = this.#scanner.scan(inputText)
    const bytes = text === inputText ? input : fromLatin1(text)
    const held = pending.length

    const tooLarge = held + bytes.length > this.#maxFrameBytes ? this.#indexOfTooLarge(ends, bytes.length, held) : -1
    if (tooLarge !== -1) {
      this.#failed = new FrameTooLargeError(this.#maxFrameBytes)
      ends.length = tooLarge
      if (tooLarge === 0) {
        pending.take()
        throw this.#failed
      }
    }

    const end = ends.at(-1)
    if (end === undefined) {
      pending.append(bytes)
      return undefined
    }
    const whole = end === bytes.length ? bytes : bytes.subarray(0, end)
    const frames = held === 0 ? { bytes: whole, latin1: text.slice(0, end), ends } : this.#joinPending(whole, ends)
    if (this.#failed === undefined && end < bytes.length) pending.append(bytes.subarray(end))
    return this.#scanner.mayHaveMarks ? withoutMarks(frames) : frames
  }

  end(): Frames | undefined {
    if (this.#failed !== undefined) throw this.#failed
    const cut = toLatin1(this.#pending.take()).replace(marks, '')
    if (!isWholeData(parseFrame(cut)?.data)) return undefined
    const latin1 = cut + (this.#scanner.atLineStart ? '\n' : '\n\n')
    return { bytes: fromLatin1(latin1), latin1, ends: [latin1.length] }
  }

  get bufferedBytes(): number {
    return this.#bom.heldBytes + this.#pending.length
  }

  canSkip(bytes: Uint8Array): boolean {
    return this.#failed === undefined && bytes.length <= this.#maxFrameBytes && this.bufferedBytes === 0
  }

  #joinPending(whole: Uint8Array, ends: readonly number[]): Frames {
    const held = this.#pending.length
    this.#pending.append(whole)
    const bytes = this.#pending.take()
    return { bytes, latin1: toLatin1(bytes), ends: ends.map((end) => held + end) }
  }

  #indexOfTooLarge(ends: readonly number[], length: number, held: number): number {
    let start = -held
    for (let index = 0; index <= ends.length; index++) {
      const end = ends[index] ?? length
      if (end - start > this.#maxFrameBytes) return index
      start = end
    }
    return -1
  }
}

function withoutMarks({ bytes, latin1, ends }: Frames): Frames {
  let text = ''
  let start = 0
  const newEnds = ends.map((end) => {
    text += latin1.slice(start, end).replace(marks, '')
    start = end
    return text.length
  })
  return text.length === latin1.length ? { bytes, latin1, ends } : { bytes: fromLatin1(text), latin1: text, ends: newEnds }
}
