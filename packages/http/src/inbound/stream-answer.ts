import type { Arrival, CommittedRun, Failure } from '@understudy/core'
import type { DialectCodec, StreamEncoder } from '@understudy/dialects'

import { brokenAnswer } from './chain-failure.js'

/** What a stream to a client is written with. */
export interface StreamWriting {
  /** The client's. */
  readonly codec: DialectCodec
  readonly requestId: string
  /** `[key, JSON text]` of the report that goes into the first event. */
  readonly report: readonly [key: string, json: string] | undefined
  readonly includeUsage: boolean
  /** Whether the leg speaks the client's dialect, so that the answer keeps the model that it names. */
  readonly sameDialect: boolean
}

const DONE: IteratorReturnResult<undefined> = { done: true, value: undefined }

/**
 * The bytes of a committed run: the leg's own events as they came, or encoded from its parts. Ends with the terminator, or with
 * one error event where the answer broke. Hot: one promise and one item for what arrived in one read.
 */
export function streamAnswer(run: CommittedRun, writing: StreamWriting): AsyncIterableIterator<Uint8Array> {
  const { codec } = writing
  let encoder: StreamEncoder | undefined
  let { report } = writing
  let over = false

  const iterator: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => (over ? Promise.resolve(DONE) : run.arrivals.next().then(onResult)),
    async return() {
      over = true
      await run.arrivals.return?.()
      return DONE
    },
  }
  return iterator

  function onResult(result: IteratorResult<Arrival>): IteratorResult<Uint8Array> | Promise<IteratorResult<Uint8Array>> {
    if (over) return DONE
    if (result.done === true) return finish()
    const bytes = run.answer.form === 'events' ? result.value.bytes : encode(result.value)
    if (bytes === undefined || bytes.length === 0) return run.arrivals.next().then(onResult)
    if (report === undefined) return { done: false, value: bytes }
    const [key, json] = report
    report = undefined
    return { done: false, value: codec.withStreamField(bytes, key, json) }
  }

  function encode({ parts }: Arrival): Uint8Array | undefined {
    encoder ??= makeEncoder(parts)
    return encoder.push(parts)
  }

  function makeEncoder(parts: Arrival['parts']): StreamEncoder {
    const { requestId, includeUsage, sameDialect } = writing
    const created = Math.floor(Date.now() / 1000)
    return codec.createStreamEncoder({
      id: `chatcmpl-${requestId}`,
      model: sameDialect && namesModel(parts) ? undefined : run.leg.model,
      created,
      includeUsage,
    })
  }

  function finish(): IteratorResult<Uint8Array> {
    over = true
    const failure = run.end()?.failure
    if (failure === undefined) {
      return { done: false, value: run.answer.form === 'events' ? codec.streamTerminator : (encoder ?? makeEncoder([])).end() }
    }
    return failure.kind === 'aborted' ? DONE : { done: false, value: errorEvent(codec, failure, writing.requestId) }
  }
}

/** Whether the answer itself says which model made it. */
export function namesModel(parts: Arrival['parts']): boolean {
  return parts.some((part) => part.type === 'start' && part.model !== undefined)
}

function errorEvent(codec: DialectCodec, failure: Failure, requestId: string): Uint8Array {
  return codec.encodeStreamFailure(brokenAnswer(failure, requestId))
}
