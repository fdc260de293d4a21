const smallestCapacity = 512
// One for all: nothing can be written to it.
const noRoom = Buffer.alloc(0)

/**
 * Bytes that wait for their frame to end. Doubles its room, so that a line of n bytes in any number of pieces costs
 * O(n), and copies, so that one waiting byte does not keep a whole read alive.
 */
export class ByteBuffer {
  #room = noRoom
  #length = 0

  append(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length
    if (needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#length * 2, smallestCapacity))
      larger.set(this.#room.subarray(0, this.#length))
      this.#room = larger
    }
    this.#room.set(bytes, this.#length)
    this.#length = needed
  }

  /** All bytes so far. They belong to the caller; the buffer is empty afterwards. */
  take(): Uint8Array {
    const taken = this.#room.subarray(0, this.#length)
    this.#room = noRoom
    this.#length = 0
    return taken
  }

  get length(): number {
    return this.#length
  }
}
