import type { Arrival, DirectIterator, Failure, ItemReader, StopSignal } from '@understudy/core'
import { failureOf, promised, READ } from '@understudy/core'
import type { ProviderCodec } from '@understudy/dialects'
import type { ByteSource } from './byte-source.js'
import { Given } from './given.js'
import type { ReadBody } from './read-body.js'
import { readBody } from './read-body.js'

/** A larger answer is no chat answer. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024

type Result = IteratorResult<Arrival, undefined>

const DONE: Result = { done: true, value: undefined }

/** What a document is read with. */
export interface DocumentReader {
  readonly codec: ProviderCodec
  readonly signal: StopSignal
  /** Whether the client gets the bytes as they came. */
  readonly sameDialect: boolean
  /** Whether the client reads a stream, which is then made of the parts. */
  readonly streamed: boolean
}

/** The one arrival of a JSON answer: the whole of it. A class: one is made for every such request. */
export class DocumentArrivals implements DirectIterator<Arrival> {
  readonly #source: ByteSource
  readonly #status: number
  readonly #unread: Buffer | undefined
  readonly #reader: DocumentReader
  #done = false

  /** `unread` was taken from the source already. */
  constructor(source: ByteSource, status: number, unread: Buffer | undefined, reader: DocumentReader) {
    this.#source = source
    this.#status = status
    this.#unread = unread
    this.#reader = reader
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result> {
    return promised(this)
  }

  [READ](reader: ItemReader<Arrival>): void {
    if (this.#done) {
      reader.onItem(DONE)
      return
    }
    this.#done = true
    let reading: ReadBody | Promise<ReadBody>
    try {
      reading = readBody(this.#source, MAX_DOCUMENT_BYTES, this.#reader.signal)
    } catch (thrown) {
      reader.onFailure(thrown)
      return
    }
    if (reading instanceof Promise) reading.then((body) => this.#tell(reader, body), (reason: unknown) => reader.onFailure(reason))
    else this.#tell(reader, reading)
  }

  return(): Promise<Result> {
    this.#done = true
    this.#source.cancel()
    return Promise.resolve(DONE)
  }

  #tell(reader: ItemReader<Arrival>, body: ReadBody): void {
    let arrival: Arrival
    try {
      arrival = this.#arrivalOf(body)
    } catch (thrown) {
      reader.onFailure(thrown)
      return
    }
    reader.onItem(new Given(arrival))
  }

  #arrivalOf({ bytes: rest, whole }: ReadBody): Arrival {
    const { codec, signal, sameDialect, streamed } = this.#reader
    signal.throwIfAborted()
    if (!whole) return { parts: [{ type: 'error', failure: whyNotWhole(this.#source.failure) }], events: 0 }
    const bytes = this.#unread === undefined ? rest : Buffer.concat([this.#unread, rest])
    const { parts, members } = codec.decodeResponse(bytes, { status: this.#status, isForwarded: sameDialect && !streamed })
    return new DocumentArrival(parts, sameDialect ? bytes : undefined, members)
  }
}

/** A whole document. */
export class DocumentArrival implements Arrival {
  readonly parts: Arrival['parts']
  readonly bytes: Uint8Array | undefined
  readonly events = 1
  /** As the codec's `decodeResponse` gave them. */
  readonly members: readonly string[] | undefined

  constructor(parts: Arrival['parts'], bytes: Uint8Array | undefined, members: readonly string[] | undefined) {
    this.parts = parts
    this.bytes = bytes
    this.members = members
  }
}

/** Nobody else cuts a body that is being read, so `aborted` was the limit. */
function whyNotWhole(failure: Failure | undefined): Failure {
  if (failure === undefined || failure.kind === 'aborted') return failureOf('malformed', { code: 'answer_too_large' })
  return failure
}
