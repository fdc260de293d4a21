/** The same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** One character (0 to 255) for each byte, so that a position in the text is one in the bytes. */
export function toLatin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1')
}
