/** The first `length` bytes of a read and what is passed on of the rest: no copy where that follows them. */
export function withStart(read: Uint8Array, length: number, rest: Uint8Array | undefined): Uint8Array {
  if (rest === undefined) return read.subarray(0, length)
  const follows = rest.buffer === read.buffer && rest.byteOffset === read.byteOffset + length
  return follows ? read.subarray(0, length + rest.length) : Buffer.concat([read.subarray(0, length), rest])
}

/** What is passed on of a read, piece by piece; no copy where that is one piece. `undefined` for nothing. */
export function joinPieces(pieces: Uint8Array[] | undefined, last: Uint8Array | undefined): Uint8Array | undefined {
  const hasLast = last !== undefined && last.length > 0
  if (pieces === undefined) return hasLast ? last : undefined
  if (hasLast) pieces.push(last)
  return pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)
}
