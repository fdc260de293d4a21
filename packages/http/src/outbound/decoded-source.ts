import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'
import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { ByteSource } from './byte-source.js'

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants

// What arrived is decoded even if the end is missing: whether it is enough, the dialect sees.
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }),
  'x-gzip': () => createGunzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }),
  deflate: () => createInflate({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }),
}

/** `source` without its `content-encoding`; `undefined` if it is one that we do not read. */
export function decodeSource(source: ByteSource, contentEncoding: string | undefined): ByteSource | undefined {
  if (contentEncoding === undefined) return source
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  const [coding] = codings
  if (coding === undefined) return source
  if (codings.length > 1 || !Object.hasOwn(DECODERS, coding)) return undefined
  const decoder = DECODERS[coding]?.()
  return decoder === undefined ? undefined : new DecodedSource(source, decoder)
}

/** Decodes while it is read, a few chunks ahead at most, so a small body that decodes to a huge one is no danger. */
class DecodedSource implements ByteSource {
  state: 'open' | 'ended' | 'failed' = 'open'
  failure: Failure | undefined

  readonly #source: ByteSource
  readonly #decoder: Transform
  #reader: (() => void) | undefined

  constructor(source: ByteSource, decoder: Transform) {
    this.#source = source
    this.#decoder = decoder
    decoder.on('readable', () => this.#wake())
    decoder.on('end', () => this.#settle(this.#source.failure))
    decoder.on('error', (error) => this.#settle(failureOf('malformed', { code: codeOf(error) })))
    this.#pump()
  }

  take(): Buffer | undefined {
    const bytes: unknown = this.#decoder.read()
    return Buffer.isBuffer(bytes) ? bytes : undefined
  }

  onReady(callback: () => void): void {
    this.#reader = callback
    if (this.state !== 'open' || this.#decoder.readableLength > 0) queueMicrotask(() => this.#wake())
  }

  release(): void {
    this.#decoder.destroy()
    this.#source.release()
  }

  cancel(): void {
    this.#decoder.destroy()
    this.#source.cancel()
  }

  readonly #pump = (): void => {
    if (this.#decoder.destroyed) return
    for (let bytes = this.#source.take(); bytes !== undefined; bytes = this.#source.take()) {
      if (!this.#decoder.write(bytes)) {
        this.#decoder.once('drain', this.#pump)
        // An abort must get through to a reader that waits, however long the decoder is full.
        if (this.#source.state === 'open') this.#source.onReady(this.#watch)
        return
      }
    }
    if (this.#source.state === 'open') this.#source.onReady(this.#pump)
    else if (this.#source.failure?.kind === 'aborted') this.#settle(this.#source.failure)
    else this.#decoder.end()
  }

  readonly #watch = (): void => {
    if (this.#source.failure?.kind === 'aborted') this.#settle(this.#source.failure)
  }

  #settle(failure: Failure | undefined): void {
    if (this.state !== 'open') return
    this.state = failure === undefined ? 'ended' : 'failed'
    this.failure = failure
    if (failure !== undefined) {
      this.#decoder.destroy()
      this.#source.cancel()
    }
    this.#wake()
  }

  #wake(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.()
  }
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
