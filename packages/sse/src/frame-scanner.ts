const lineFeed = 10
const carriageReturn = 13
/** The first byte of a byte-order mark. */
const markStart = 0xef

/** A read with its stray blank lines left out, and where in it frames end. */
export interface ScannedRead {
  /** The very string that was passed in where nothing had to be left out or added. */
  readonly text: string
  /** Offsets in `text`, each just past a frame. */
  readonly ends: number[]
}

/** Finds the ends of frames in the reads of one stream; remembers what the last read ended in. */
export class FrameScanner {
  #inFrame = false
  #inLine = false
  // The last read ended in the CR of a line, so a LF that comes first in the next one is no blank line. (After the CR
  // of a blank line it is a stray blank line, and left out as such.)
  #afterReturn = false
  #mayHaveMarks = false

  // Hot: each read goes through here. One native search a line; the one for CR runs once in a read that has none.
  scan(read: string): ScannedRead {
    const ends: number[] = []
    // What is passed on is `passed` and then the read from `from` on.
    let passed = ''
    let from = 0
    let position = 0
    let nextFeed = -1
    let nextReturn = -1
    let inFrame = this.#inFrame
    let inLine = this.#inLine
    let afterReturn = this.#afterReturn

    if (afterReturn && read.length > 0) {
      afterReturn = false
      if (read.charCodeAt(0) === lineFeed) position = 1
    }

    while (position < read.length) {
      const code = read.charCodeAt(position)
      if (!inLine && (code === lineFeed || code === carriageReturn)) {
        const next = pastLineEnd(read, position)
        const bareReturn = code === carriageReturn && next === position + 1
        if (inFrame) {
          if (bareReturn) {
            passed += `${read.slice(from, next)}\n`
            from = next
          }
          ends.push(passed.length + next - from)
        } else {
          passed += read.slice(from, position)
          from = next
        }
        inFrame = false
        position = next
        continue
      }

      if (!inLine && code === markStart) this.#mayHaveMarks = true
      inFrame = true
      if (nextFeed < position) nextFeed = indexOrLength(read, '\n', position)
      if (nextReturn < position) nextReturn = indexOrLength(read, '\r', position)
      const lineEnd = Math.min(nextFeed, nextReturn)
      inLine = lineEnd === read.length
      position = inLine ? lineEnd : pastLineEnd(read, lineEnd)
      afterReturn = !inLine && position === read.length && read.charCodeAt(position - 1) === carriageReturn
    }
    this.#inFrame = inFrame
    this.#inLine = inLine
    this.#afterReturn = afterReturn
    return { text: from === 0 ? read : passed + read.slice(from), ends }
  }

  /** Whether one more LF would be a blank line. */
  get atLineStart(): boolean {
    return !this.#inLine && !this.#afterReturn
  }

  /** Whether some line so far may have begun with a byte-order mark. */
  get mayHaveMarks(): boolean {
    return this.#mayHaveMarks
  }
}

function indexOrLength(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from)
  return index === -1 ? text.length : index
}

function pastLineEnd(text: string, index: number): number {
  const pair = text.charCodeAt(index) === carriageReturn && text.charCodeAt(index + 1) === lineFeed
  return index + (pair ? 2 : 1)
}
