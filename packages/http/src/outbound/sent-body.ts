import type { Dispatcher } from 'undici'

/** From that many bytes on it is worth the microseconds. */
const LONG_BYTES = 4096

/** What undici is given to send these bytes. `headers` are told how long they are where undici cannot see that. */
export function bodyToSend(bytes: Buffer, headers: string[]): NonNullable<Dispatcher.DispatchOptions['body']> {
  if (bytes.length < LONG_BYTES) return bytes
  headers.push('content-length', String(bytes.length))
  // undici documents that it takes any iterable; its types do not know.
  return new BodyOnce(bytes) as Iterable<Buffer> as Buffer
}

/**
 * A body for an answer that lasts: a small buffer is a part of a larger one that it shares with others, all of which undici would hold until the
 * answer has ended. One that is long enough to be forgotten stays as it is.
 */
export function inOwnMemory(bytes: Buffer): Buffer {
  if (bytes.length >= LONG_BYTES || bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/**
 * A body that is sent once, and held by nobody then: undici keeps what it is given until the answer has ended, which a stream may take minutes
 * for. It writes what it is given this way as it writes a buffer, some microseconds later.
 */
class BodyOnce implements Iterable<Buffer> {
  #bytes: Buffer | undefined

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  *[Symbol.iterator](): Generator<Buffer, void> {
    const bytes = this.#bytes
    this.#bytes = undefined
    if (bytes !== undefined) yield bytes
  }
}
