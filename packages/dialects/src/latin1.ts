/** One character (0 to 255) for each byte, so that a position in the text is one in the bytes. */
export function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
