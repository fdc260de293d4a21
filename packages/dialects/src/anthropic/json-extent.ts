/** Follows the text of one JSON value piece by piece and tells when it is over. O(n) over all pieces. */
export interface JsonExtent {
  /** Whether an object or array has been closed. What stands behind its end says nothing. */
  readonly isOver: boolean
  /** Takes the next piece. */
  take(piece: string): void
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Looks at brackets and strings only: whether the text is right JSON is for others to say. */
export function createJsonExtent(): JsonExtent {
  let depth = 0
  let inString = false
  let isEscaped = false
  const extent = {
    isOver: false,
    take(piece: string): void {
      for (let index = 0; index < piece.length && !extent.isOver; index++) read(piece.charCodeAt(index))
    },
  }
  return extent

  function read(code: number): void {
    if (isEscaped) {
      isEscaped = false
    } else if (inString) {
      isEscaped = code === BACKSLASH
      inString = code !== QUOTE
    } else if (code === QUOTE) {
      inString = true
    } else if (code === 0x7b || code === 0x5b) {
      depth++
    } else if (code === 0x7d || code === 0x5d) {
      depth--
      extent.isOver = depth <= 0
    }
  }
}
