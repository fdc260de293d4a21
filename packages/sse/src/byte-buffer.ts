const smallestCapacity = 512

/**
 * Bytes that wait for their frame to end. Doubles its room, so that a line of n bytes in any number of pieces costs
 * O(n), and copies, so that one waiting byte does not keep a whole read alive.
 */
export interface ByteBuffer {
  append(bytes: Uint8Array): void
  /** All bytes so far. They belong to the caller; the buffer is empty afterwards. */
  take(): Uint8Array
  readonly length: number
}

export function createByteBuffer(): ByteBuffer {
  let room = Buffer.alloc(0)
  let length = 0

  return {
    append(bytes) {
      const needed = length + bytes.length
      if (needed > room.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, length * 2, smallestCapacity))
        larger.set(room.subarray(0, length))
        room = larger
      }
      room.set(bytes, length)
      length = needed
    },
    take() {
      const taken = room.subarray(0, length)
      room = Buffer.alloc(0)
      length = 0
      return taken
    },
    get length() {
      return length
    },
  }
}
