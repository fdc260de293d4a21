/** More than this is no error document. */
const MAX_HELD_BYTES = 64 * 1024

/**
 * The start of a source until its first event. A provider may answer a stream request with a bare document,
 * pretty-printed over many lines, that holds no event at all.
 */
export interface HeldStart {
  take(bytes: Uint8Array): void
  /** All bytes so far, if they look like a JSON or HTML document. */
  document(): Uint8Array | undefined
}

export function createHeldStart(): HeldStart {
  let held: Uint8Array[] | undefined = []
  let length = 0

  return {
    take(bytes) {
      if (held === undefined) return
      length += bytes.length
      if (length > MAX_HELD_BYTES) held = undefined
      else held.push(bytes)
    },
    document() {
      const bytes = Buffer.concat(held ?? [])
      return /^(?:\ufeff)?\s*[{[<]/.test(bytes.subarray(0, 1024).toString('utf8')) ? bytes : undefined
    },
  }
}
