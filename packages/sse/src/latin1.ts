/** One character (0 to 255) for each byte, so that positions and lengths are those of the bytes. */
export function toLatin1(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('latin1')
}

/** The reverse of {@link toLatin1}. */
export function fromLatin1(latin1: string): Uint8Array {
  return Buffer.from(latin1, 'latin1')
}

/** The text that the bytes spell in UTF-8. What is no UTF-8 becomes U+FFFD; nothing throws; a BOM is content. */
export function decodeUtf8(latin1: string): string {
  // Each character over 0x7f counts two bytes here. Half the time of a regular expression over the text.
  const ascii = Buffer.byteLength(latin1) === latin1.length
  return ascii ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8')
}
