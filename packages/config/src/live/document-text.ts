import type { ChainDocumentJson } from './chain-source.js'

/** The largest document that a source reads or writes. Bytes. */
export const MAX_DOCUMENT_BYTES = 1_048_576

const DECODER = new TextDecoder('utf-8', { fatal: true })

/** The text of bytes, without a byte-order mark. Throws if they are no UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return DECODER.decode(bytes)
  } catch {
    throw new Error('the document is no UTF-8 text')
  }
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The document as a store keeps it. Throws if it is too large. */
export function encodeDocument(document: ChainDocumentJson, indent?: number): string {
  const text = JSON.stringify(document, undefined, indent)
  refuseTooLarge(Buffer.byteLength(text))
  return text
}

/** Throws if a document of this size is too large. */
export function refuseTooLarge(bytes: number, maxBytes = MAX_DOCUMENT_BYTES): void {
  if (bytes > maxBytes) throw new Error(`the document is larger than ${maxBytes} bytes`)
}
