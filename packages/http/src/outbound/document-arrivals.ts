import type { Arrival, Failure, StopSignal } from '@understudy/core'
import { failureOf } from '@understudy/core'
import type { ProviderCodec } from '@understudy/dialects'
import type { ByteSource } from './byte-source.js'
import { readBody } from './read-body.js'

/** A larger answer is no chat answer. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** What a document is read with. */
export interface DocumentReader {
  readonly codec: ProviderCodec
  readonly status: number
  /** Whether the client gets the bytes as they came. */
  readonly forward: 'bytes' | 'parts'
  /** Whether the client reads a stream, which is then made of the parts. */
  readonly streamed: boolean
  readonly signal: StopSignal
  /** Taken from the source already. */
  readonly unread: Buffer | undefined
}

/** The one arrival of a JSON answer: the whole of it. A class: one is made for every such request. */
export class DocumentArrivals implements AsyncIterableIterator<Arrival, undefined, undefined> {
  readonly #source: ByteSource
  readonly #reader: DocumentReader
  #done = false

  constructor(source: ByteSource, reader: DocumentReader) {
    this.#source = source
    this.#reader = reader
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Arrival, undefined>> {
    if (this.#done) return DONE
    this.#done = true
    return { done: false, value: await readDocument(this.#source, this.#reader) }
  }

  return(): Promise<IteratorResult<Arrival, undefined>> {
    this.#done = true
    this.#source.cancel()
    return Promise.resolve(DONE)
  }
}

async function readDocument(source: ByteSource, reader: DocumentReader): Promise<Arrival> {
  const { codec, status, forward, streamed, signal, unread } = reader
  const { bytes: rest, whole } = await readBody(source, MAX_DOCUMENT_BYTES, signal)
  signal.throwIfAborted()
  if (!whole) return { parts: [{ type: 'error', failure: whyNotWhole(source.failure) }], events: 0 }
  const bytes = unread === undefined ? rest : Buffer.concat([unread, rest])
  const { parts } = codec.decodeResponse(bytes, { status, isForwarded: forward === 'bytes' && !streamed })
  return { parts, bytes: forward === 'bytes' ? bytes : undefined, events: 1 }
}

/** Nobody else cuts a body that is being read, so `aborted` was the limit. */
function whyNotWhole(failure: Failure | undefined): Failure {
  if (failure === undefined || failure.kind === 'aborted') return failureOf('malformed', { code: 'answer_too_large' })
  return failure
}
