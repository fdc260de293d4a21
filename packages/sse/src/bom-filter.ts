const bom = [0xef, 0xbb, 0xbf]

/** Leaves out a byte-order mark at the very start of a stream, however it is cut; later ones are left where they are. */
export class BomFilter {
  #matched = 0
  #started = false

  /** What may be passed on. Empty while the bytes so far could still turn out to be a mark. */
  filter(bytes: Uint8Array): Uint8Array {
    if (this.#started || bytes.length === 0) return bytes
    const before = this.#matched
    let position = 0
    while (this.#matched < bom.length && position < bytes.length && bytes[position] === bom[this.#matched]) {
      this.#matched++
      position++
    }
    this.#started = this.#matched === bom.length || position < bytes.length
    if (this.#matched === bom.length || !this.#started) return bytes.subarray(position)
    return before === 0 ? bytes : Buffer.concat([Uint8Array.from(bom.slice(0, before)), bytes])
  }

  /** Bytes held back, 0 to 2. */
  get heldBytes(): number {
    return this.#started ? 0 : this.#matched
  }
}
