/** The last bytes of a stream of events: whatever event ended it last is whole in them. */
export interface RawTail {
  readonly push: (bytes: Uint8Array) => void
  readonly bytes: () => Uint8Array<ArrayBuffer>
}

/** More of an event that nobody has seen the end of is not kept. */
const MAX_TAIL_BYTES = 1024 * 1024

const BOUNDARIES = ['\n\n', '\r\n\r\n', '\r\r']

/** Keeps the last read, and of those before it what no event has ended in. */
export function createRawTail(): RawTail {
  let open = Buffer.alloc(0)
  let last = Buffer.alloc(0)

  return {
    push(bytes) {
      open = Buffer.concat([open, last])
      const end = Math.max(...BOUNDARIES.map((boundary) => endOfLast(open, boundary)))
      if (end > 0) open = open.subarray(end)
      if (open.length > MAX_TAIL_BYTES) open = Buffer.alloc(0)
      last = Buffer.from(bytes)
    },
    bytes: () => new Uint8Array(Buffer.concat([open, last])),
  }
}

function endOfLast(bytes: Buffer, boundary: string): number {
  const at = bytes.lastIndexOf(boundary, undefined, 'latin1')
  return at === -1 ? -1 : at + boundary.length
}
