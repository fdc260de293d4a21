import type { Arrival, CommittedRun, Failure } from '@understudy/core'
import type { DialectCodec, StreamEncoder } from '@understudy/dialects'

import { isClosing } from '../open-runs.js'
import { brokenAnswer } from './chain-failure.js'
import { classicFrames } from './classic-envelope.js'
import { errorType, FAULT_MESSAGE } from './client-errors.js'

/** What an answer to a client is written with. */
export interface AnswerWriting {
  /** The client's. */
  readonly codec: DialectCodec
  readonly requestId: string
  /** `[key, JSON text]` of the report that goes into the first event, or into the document. */
  readonly report: readonly [key: string, json: string] | undefined
  /** Whether the client reads the classic envelope. */
  readonly classic: boolean
  /** Whether the leg speaks the client's dialect, so that the answer keeps the model that it names. */
  readonly sameDialect: boolean
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
}

/** What a stream to a client is written with. */
export interface StreamWriting extends AnswerWriting {
  readonly includeUsage: boolean
  /** Something of our own failed: the client is told so. */
  readonly onFault: (error: unknown) => void
  /** Nothing more is read. */
  readonly onOver: () => void
}

type Result = IteratorResult<Uint8Array, undefined>

const DONE: Result = { done: true, value: undefined }

/**
 * The bytes of a committed run: the leg's own events as they came, or encoded from its parts. Ends with the terminator, or with
 * one error event where the answer broke; never rejects. Hot: one promise and one item for what arrived in one read.
 */
export function streamAnswer(run: CommittedRun, writing: StreamWriting): AsyncIterableIterator<Uint8Array> {
  const { codec, requestId } = writing
  let encoder: StreamEncoder | undefined
  let { report } = writing
  let over = false

  const iterator: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => (over ? Promise.resolve(DONE) : run.arrivals.next().then(onResult)),
    async return() {
      close()
      await run.arrivals.return?.()
      return DONE
    },
  }
  return iterator

  function onResult(result: IteratorResult<Arrival>): Result | Promise<Result> {
    if (over) return DONE
    try {
      if (result.done === true) return finish()
      const own = run.answer.form === 'events' ? result.value.bytes : encode(result.value)
      const bytes = writing.classic && own !== undefined ? classicFrames(own) : own
      if (bytes === undefined || bytes.length === 0) return run.arrivals.next().then(onResult)
      return { done: false, value: report === undefined ? bytes : withReport(bytes, report) }
    } catch (error) {
      return fault(error)
    }
  }

  /** Into the first event that can take it: what comes first may be no more than a ping. */
  function withReport(bytes: Uint8Array, [key, json]: readonly [key: string, json: string]): Uint8Array {
    const told = codec.withStreamField(bytes, key, json)
    if (told !== bytes) report = undefined
    return told
  }

  function encode({ parts }: Arrival): Uint8Array | undefined {
    encoder ??= makeEncoder(parts)
    return encoder.push(parts)
  }

  function makeEncoder(parts: Arrival['parts']): StreamEncoder {
    const { includeUsage } = writing
    return codec.createStreamEncoder({ ...answerNames(run, parts, writing), includeUsage })
  }

  function finish(): Result {
    close()
    const failure = run.end()?.failure
    if (failure === undefined) {
      const isWire = run.answer.form === 'events'
      const end = isWire ? codec.streamTerminator : (encoder ?? makeEncoder([])).end()
      return { done: false, value: writing.classic ? classicFrames(end) : end }
    }
    return hasReader(failure) ? errorEvent(brokenAnswer(failure, requestId)) : DONE
  }

  /** Whatever goes wrong while it is written, the leg is let go. */
  function fault(error: unknown): Result {
    writing.onFault(error)
    close()
    void run.arrivals.return?.()
    return errorEvent({ status: 500, type: errorType(500), code: 'internal_error', message: FAULT_MESSAGE, requestId })
  }

  function errorEvent(error: Parameters<DialectCodec['encodeStreamFailure']>[0]): Result {
    return { done: false, value: codec.encodeStreamFailure(error) }
  }

  function close(): void {
    if (over) return
    over = true
    writing.onOver()
  }
}

/** A client that left is told nothing. */
function hasReader(failure: Failure): boolean {
  return failure.kind !== 'aborted' || isClosing(failure)
}

/** What an encoded answer is called where it does not say so itself. */
export function answerNames(run: CommittedRun, parts: Arrival['parts'], writing: AnswerWriting) {
  const { codec, requestId, sameDialect, wallClock } = writing
  const namesModel = parts.some((part) => part.type === 'start' && part.model !== undefined)
  return {
    id: `${codec.name === 'anthropic' ? 'msg_' : 'chatcmpl-'}${requestId}`,
    model: sameDialect && namesModel ? undefined : run.leg.model,
    created: Math.floor(wallClock() / 1000),
  }
}
