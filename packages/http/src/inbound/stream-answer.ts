import type { Arrival, CommittedRun, DirectIterator, Failure, ItemReader } from '@understudy/core'
import { directOf, promised, READ, readByPromise } from '@understudy/core'
import type { ClientError, DialectCodec, StreamEncoder } from '@understudy/dialects'

import { isClosing } from '../open-runs.js'
import { brokenAnswer } from './chain-failure.js'
import { classicFrames } from './classic-envelope.js'
import { errorType, FAULT_MESSAGE } from './client-errors.js'
import { apart } from './failure-items.js'

/** What an answer to a client is written with. */
export interface AnswerWriting {
  /** The client's. */
  readonly codec: DialectCodec
  readonly requestId: string
  /** The report as JSON, which goes into the first event, or into the document, under that key. A stream lets go of it then. */
  report: string | undefined
  readonly reportKey: string
  /** Whether the client reads the classic envelope. */
  readonly classic: boolean
  /** Whether the leg speaks the client's dialect, so that the answer keeps the model that it names. */
  readonly sameDialect: boolean
  /** Whether the proofs of its thoughts stay behind: the client's own provider would not take them. */
  readonly isForeign: boolean
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  /** What the client's body says that its answer says again. Default nothing. */
  readonly asked?: Readonly<Record<string, unknown>> | undefined
}

/** What a stream to a client is written with, beside that. */
export interface StreamWatch {
  readonly includeUsage: boolean
  /** Something of our own failed: the client is told so. */
  onFault(error: unknown): void
  /** Nothing more is read. */
  onOver(): void
}

type Result = IteratorResult<Uint8Array, undefined>

const DONE: Result = { done: true, value: undefined }

/**
 * The bytes of a committed run: the leg's own events as they came, or encoded from its parts. Ends with the terminator, or with
 * one error event where the answer broke (and what stands apart behind it); never rejects. Hot: one item for what arrived in one read, and no
 * promise for a reader that reads directly.
 */
export function streamAnswer(
  run: CommittedRun,
  writing: AnswerWriting,
  watch: StreamWatch,
): DirectIterator<Uint8Array> {
  return new StreamAnswer(run, writing, watch)
}

/** A class: an open stream holds one, and its methods are shared. */
class StreamAnswer implements DirectIterator<Uint8Array>, ItemReader<Arrival> {
  readonly #run: CommittedRun
  readonly #direct: DirectIterator<Arrival> | undefined
  readonly #writing: AnswerWriting
  readonly #watch: StreamWatch
  #reader: ItemReader<Uint8Array> | undefined
  #reading: Promise<Result> | undefined
  #isAsking = false
  #isSilent = false
  #encoder: StreamEncoder | undefined
  #over = false
  /** Is to be read alone, behind the error event. */
  #bare: Uint8Array | undefined

  constructor(run: CommittedRun, writing: AnswerWriting, watch: StreamWatch) {
    this.#run = run
    this.#direct = directOf(run.arrivals)
    this.#writing = writing
    this.#watch = watch
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result> {
    // A second read waits for the first, whose reader would be forgotten else.
    if (this.#reader !== undefined && this.#reading !== undefined) return this.#reading.then(() => this.next())
    this.#reading = promised(this)
    return this.#reading
  }

  [READ](reader: ItemReader<Uint8Array>): void {
    if (!this.#over) {
      this.#reader = reader
      this.#ask()
      return
    }
    const bare = this.#bare
    this.#bare = undefined
    if (bare === undefined) reader.onItem(DONE)
    else void apart(bare).then((value) => reader.onItem({ done: false, value }))
  }

  async return(): Promise<Result> {
    this.#bare = undefined
    this.#close()
    await this.#run.arrivals.return?.()
    return DONE
  }

  /** A loop: of an answer that was held whole any number of arrivals may come at once that say nothing to the client. */
  #ask(): void {
    do {
      this.#isSilent = false
      this.#isAsking = true
      if (this.#direct === undefined) readByPromise(this.#run.arrivals, this)
      else this.#direct[READ](this)
      this.#isAsking = false
    } while (this.#isSilent)
  }

  onItem(result: IteratorResult<Arrival>): void {
    const answer = this.#answerTo(result)
    if (answer !== undefined) this.#tell(answer)
    else if (this.#isAsking) this.#isSilent = true
    else this.#ask()
  }

  onFailure(error: unknown): void {
    this.#tell(this.#fault(error))
  }

  #tell(answer: Result): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.onItem(answer)
  }

  /** What is written for an arrival, if it says anything to the client. */
  #answerTo(result: IteratorResult<Arrival>): Result | undefined {
    if (this.#over) return DONE
    try {
      if (result.done === true) return this.#finish()
      const own = this.#run.answer.form === 'events' ? result.value.bytes : this.#encode(result.value)
      const bytes = this.#writing.classic && own !== undefined ? classicFrames(own) : own
      if (bytes === undefined || bytes.length === 0) return undefined
      return { done: false, value: this.#withReport(bytes) }
    } catch (error) {
      return this.#fault(error)
    }
  }

  /** Into the first event that can take it: what comes first may be no more than a ping. */
  #withReport(bytes: Uint8Array): Uint8Array {
    const { codec, report, reportKey } = this.#writing
    if (report === undefined) return bytes
    const told = codec.withStreamField(bytes, reportKey, report)
    if (told !== bytes) this.#writing.report = undefined
    return told
  }

  #encode({ parts }: Arrival): Uint8Array | undefined {
    return this.#encoderFor(parts).push(parts)
  }

  #encoderFor(parts: Arrival['parts']): StreamEncoder {
    const { codec } = this.#writing
    const { includeUsage } = this.#watch
    return (this.#encoder ??= codec.createStreamEncoder({ ...answerNames(this.#run, parts, this.#writing), includeUsage }))
  }

  #finish(): Result {
    this.#close()
    const { codec, classic, requestId } = this.#writing
    const failure = this.#run.end()?.failure
    if (failure === undefined) {
      const end = this.#run.answer.form === 'events' ? codec.streamTerminator : this.#encoderFor([]).end()
      return end.length === 0 ? DONE : { done: false, value: classic ? classicFrames(end) : end }
    }
    return hasReader(failure) ? this.#errorEvent(brokenAnswer(failure, requestId)) : DONE
  }

  /** Whatever goes wrong while it is written, the leg is let go. */
  #fault(error: unknown): Result {
    const { requestId } = this.#writing
    this.#watch.onFault(error)
    this.#close()
    void this.#run.arrivals.return?.()
    return this.#errorEvent({
      status: 500,
      type: errorType(500),
      code: 'internal_error',
      message: FAULT_MESSAGE,
      requestId,
    })
  }

  #errorEvent(error: ClientError): Result {
    this.#bare = this.#writing.codec.encodeBareFailure?.(error)
    return { done: false, value: this.#encoder?.fail?.(error) ?? this.#writing.codec.encodeStreamFailure(error) }
  }

  #close(): void {
    if (this.#over) return
    this.#over = true
    this.#watch.onOver()
  }
}

/** A client that left is told nothing. */
function hasReader(failure: Failure): boolean {
  return failure.kind !== 'aborted' || isClosing(failure)
}

/** What the ids of answers begin with, where a vendor's do. */
const ID_PREFIXES: ReadonlyMap<string, string> = new Map([['openai', 'chatcmpl-'], ['anthropic', 'msg_'], ['responses', 'resp_']])

/** What an encoded answer is called where it does not say so itself. */
export function answerNames(run: CommittedRun, parts: Arrival['parts'], writing: AnswerWriting) {
  const { codec, requestId, sameDialect, isForeign, wallClock, asked } = writing
  const namesModel = parts.some((part) => part.type === 'start' && part.model !== undefined)
  return {
    id: `${ID_PREFIXES.get(codec.name) ?? ''}${requestId}`,
    isForeign,
    model: sameDialect && namesModel ? undefined : run.leg.model,
    created: Math.floor(wallClock() / 1000),
    asked,
  }
}
