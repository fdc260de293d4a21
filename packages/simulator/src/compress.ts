import { createBrotliCompress, createDeflate, createGzip, constants } from 'node:zlib'
import type { ByteStream } from '@understudy/http/fault'

/** Compresses a stream and flushes after each item, so that pacing survives. */
export async function* compressed(
  source: ByteStream,
  encoding: 'gzip' | 'deflate' | 'br',
): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = createEncoder(encoding)
  const flushMode = encoding === 'br' ? constants.BROTLI_OPERATION_FLUSH : constants.Z_SYNC_FLUSH
  const output: Uint8Array[] = []
  encoder.on('data', (bytes: Uint8Array) => output.push(bytes))
  const take = () => Buffer.concat(output.splice(0))
  try {
    for await (const item of source) {
      encoder.write(item)
      await new Promise<void>((resolve) => encoder.flush(flushMode, resolve))
      yield take()
    }
    const ended = new Promise((resolve) => encoder.once('end', resolve))
    encoder.end()
    await ended
    yield take()
  } finally {
    encoder.destroy()
  }
}

function createEncoder(encoding: 'gzip' | 'deflate' | 'br') {
  switch (encoding) {
    case 'gzip':
      return createGzip()
    case 'deflate':
      return createDeflate()
    case 'br':
      return createBrotliCompress()
  }
}
