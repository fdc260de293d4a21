import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

import type { InboundBody } from '../inbound/request.js'

// How much of a body that is too large we still read, and throw away: a client that is sending reads its 413 only when its
// sends go through. Over this it is cut off; how long it may take is the host's `requestTimeout`.
const DISCARD_BYTES = 64 * 1024 * 1024

const DECODERS: ReadonlyMap<string, () => Duplex> = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
])

// How a stream says that the other side left, in node's words.
const ABORT_CODES: ReadonlySet<unknown> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Reads a stream to its end, undoes its encoding, and keeps at most `maxBytes` of what comes out. Never rejects. */
export function collectBody(source: Readable, encoding: string, maxBytes: number): Promise<InboundBody> {
  if (encoding === 'identity') return collect(source, undefined, maxBytes)
  const decoder = DECODERS.get(encoding)?.()
  if (decoder === undefined) return Promise.resolve({ type: 'unreadable', reason: 'unsupported_encoding' })
  return collect(source, decoder, maxBytes)
}

/** Reads on and keeps nothing, so that a client which is still sending comes to its answer. */
export function discardBody(source: Readable): void {
  let left = DISCARD_BYTES
  source.on('error', ignore)
  source.on('data', (chunk: Buffer) => {
    left -= chunk.byteLength
    if (left < 0) source.destroy()
  })
  source.resume()
}

function collect(source: Readable, decoder: Duplex | undefined, maxBytes: number): Promise<InboundBody> {
  const decoded = decoder ?? source
  const chunks: Buffer[] = []
  let total = 0

  return new Promise((resolve) => {
    function settle(body: InboundBody): void {
      decoded.off('data', onData).off('end', onEnd)
      source.off('close', onClose).off('error', onError)
      decoder?.off('error', onError).on('error', ignore)
      resolve(body)
    }
    function giveUp(body: InboundBody): void {
      settle(body)
      if (decoder !== undefined) {
        source.unpipe(decoder)
        decoder.destroy()
      }
      discardBody(source)
    }
    function onData(piece: Buffer | string): void {
      // A string only if the host called `setEncoding` on the request.
      const chunk = typeof piece === 'string' ? Buffer.from(piece, decoded.readableEncoding ?? 'utf8') : piece
      total += chunk.byteLength
      if (total > maxBytes) giveUp({ type: 'too_large', limit: maxBytes })
      else chunks.push(chunk)
    }
    function onEnd(): void {
      const [only] = chunks
      settle({ type: 'bytes', bytes: chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, total) })
    }
    function onError(error: Error): void {
      const aborted = 'code' in error && ABORT_CODES.has(error.code)
      giveUp({ type: 'unreadable', reason: aborted ? 'aborted' : 'encoding' })
    }
    function onClose(): void {
      // It closes after its end too, when a decoder may still be at work.
      if (!source.readableEnded) giveUp({ type: 'unreadable', reason: 'aborted' })
    }

    decoded.on('data', onData).on('end', onEnd)
    source.on('close', onClose).on('error', onError)
    decoder?.on('error', onError)
    if (decoder !== undefined) source.pipe(decoder)
    // A host or its hook may have paused it, which a listener does not undo.
    decoded.resume()
  })
}

function ignore(): void {
  // What happens to a stream that nobody reads for its content is nobody's concern.
}
