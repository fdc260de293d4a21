const lineFeed = 10
const carriageReturn = 13

/** A read with its stray blank lines left out, and where in it frames end. */
export interface ScannedRead {
  /** The very string that was passed in where nothing had to be left out or added. */
  readonly text: string
  /** Offsets in `text`, each just past a frame. */
  readonly ends: number[]
}

/** Finds the ends of frames in the reads of one stream; remembers what the last read ended in. */
export interface FrameScanner {
  scan(text: string): ScannedRead
  /** Whether one more LF would be a blank line. */
  readonly atLineStart: boolean
}

export function createFrameScanner(): FrameScanner {
  let inFrame = false
  let inLine = false
  // The last byte was a CR, so that a LF that comes first in the next read is the rest of that line end.
  let afterReturn = false

  // Hot: each read goes through here. One native search a line; the search for CR runs once in a read that has none.
  function scan(text: string): ScannedRead {
    const ends: number[] = []
    let kept = ''
    let keptTo = 0
    let position = 0
    let nextFeed = -1
    let nextReturn = -1

    const leaveOut = (to: number) => {
      kept += text.slice(keptTo, position)
      keptTo = to
    }

    if (afterReturn && text.length > 0) {
      afterReturn = false
      if (text.charCodeAt(0) === lineFeed) {
        if (!inFrame) leaveOut(1)
        position = 1
      }
    }

    while (position < text.length) {
      const code = text.charCodeAt(position)
      if (!inLine && (code === lineFeed || code === carriageReturn)) {
        const next = pastLineEnd(position, code)
        const bare = code === carriageReturn && next === position + 1
        if (!inFrame) {
          leaveOut(next)
          position = next
        } else {
          position = next
          if (bare) {
            leaveOut(next)
            kept += '\n'
          }
          ends.push(kept.length + position - keptTo)
          inFrame = false
        }
        continue
      }

      inFrame = true
      if (nextFeed < position) nextFeed = indexOrEnd('\n')
      if (nextReturn < position) nextReturn = indexOrEnd('\r')
      const lineEnd = Math.min(nextFeed, nextReturn)
      inLine = lineEnd === text.length
      position = inLine ? lineEnd : pastLineEnd(lineEnd, text.charCodeAt(lineEnd))
    }
    return { text: keptTo === 0 ? text : kept + text.slice(keptTo), ends }

    function indexOrEnd(character: string): number {
      const index = text.indexOf(character, position)
      return index === -1 ? text.length : index
    }

    function pastLineEnd(index: number, code: number): number {
      if (code === lineFeed) return index + 1
      if (index + 1 === text.length) afterReturn = true
      return text.charCodeAt(index + 1) === lineFeed ? index + 2 : index + 1
    }
  }

  return {
    scan,
    get atLineStart() {
      return !inLine && !afterReturn
    },
  }
}
