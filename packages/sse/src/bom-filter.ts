const bom = [0xef, 0xbb, 0xbf]

/** Leaves out a byte-order mark at the very start of a stream, however it is cut; later ones are left where they are. */
export interface BomFilter {
  /** What may be passed on. Empty while the bytes so far could still turn out to be a mark. */
  filter(bytes: Uint8Array): Uint8Array
  /** Bytes held back, 0 to 2. */
  readonly heldBytes: number
}

export function createBomFilter(): BomFilter {
  let matched = 0
  let started = false

  return {
    filter(bytes) {
      if (started || bytes.length === 0) return bytes
      const before = matched
      let position = 0
      while (matched < bom.length && position < bytes.length && bytes[position] === bom[matched]) {
        matched++
        position++
      }
      started = matched === bom.length || position < bytes.length
      if (matched === bom.length || !started) return bytes.subarray(position)
      return before === 0 ? bytes : Buffer.concat([Uint8Array.from(bom.slice(0, before)), bytes])
    },
    get heldBytes() {
      return started ? 0 : matched
    },
  }
}
