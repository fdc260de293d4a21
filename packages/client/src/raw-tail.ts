/** The last bytes of a stream of events: whatever event came last is whole in them. */
export interface RawTail {
  readonly push: (bytes: Uint8Array) => void
  readonly bytes: () => Uint8Array<ArrayBuffer>
}

/** More of an event that nobody has seen the end of is not kept. */
const MAX_TAIL_BYTES = 1024 * 1024

const BOUNDARIES = ['\n\n', '\r\n\r\n', '\r\r']

/**
 * Keeps the last read, and of those before it what no event has ended in, or a little more. Copies nothing until it is asked.
 */
export function createRawTail(): RawTail {
  let pieces: Uint8Array[] = []
  let length = 0

  return {
    push(bytes) {
      const last = pieces.at(-1)
      const end = last === undefined ? -1 : endOfLastEvent(last)
      if (last !== undefined && end !== -1) {
        pieces = [last.subarray(end)]
        length = last.length - end
      }
      if (length > MAX_TAIL_BYTES) {
        pieces = []
        length = 0
      }
      pieces.push(bytes)
      length += bytes.length
    },
    bytes: () => new Uint8Array(Buffer.concat(pieces)),
  }
}

/** Where the last event that ends in these bytes has ended; -1 if none does. */
function endOfLastEvent(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const ends = BOUNDARIES.map((boundary) => {
    const at = buffer.lastIndexOf(boundary, undefined, 'latin1')
    return at === -1 ? -1 : at + boundary.length
  })
  return Math.max(...ends)
}
