import type { Arrival, LegAnswer } from '@understudy/core'
import { failureOf, isLegFailedError, LegFailedError } from '@understudy/core'
import { createSayableParts } from '@understudy/dialects'
import { documentArrivals, eventArrivals } from './answer-arrivals.js'
import type { Attempt } from './attempt.js'
import { readBytes } from './byte-reader.js'
import type { ClientCall } from './client-call.js'
import type { Hop } from './hop.js'
import { createRawTail } from './raw-tail.js'
import type { SdkDialect } from './sdk-dialect.js'

/** Whose answer it is. */
export interface Answering {
  readonly attempt: Attempt
  /** Of the SDK that was asked. */
  readonly dialect: SdkDialect
  readonly call: ClientCall
  readonly hop: Hop
}

/** The response of an SDK as the core reads it: as bytes where the caller's SDK reads the same dialect, in parts where not. */
export function openedAnswer(response: Response, answering: Answering): LegAnswer {
  const { attempt, dialect, call, hop } = answering
  const { codec } = dialect
  const { stream } = call.request
  const isSame = dialect === call.dialect
  const reader = readBytes(response.body, hop.abort)
  const type = response.headers.get('content-type')?.toLowerCase() ?? ''
  if (type.startsWith('text/html')) {
    reader.cancel()
    throw new LegFailedError(failureOf('malformed', { code: 'html' }))
  }
  const isJson = type.includes('json')
  if (isJson || (!stream && !type.startsWith('text/event-stream'))) {
    attempt.answer = { response, tail: undefined }
    const isForwarded = isSame && !stream
    const arrivals = documentArrivals(reader, codec, { status: response.status, isForwarded })
    return { form: 'json', arrivals: watched(arrivals, answering), onCommit: hop.release }
  }
  const tail = createRawTail()
  const forward = isSame && stream ? 'bytes' : 'parts'
  const decoder = codec.createStreamDecoder({ forward })
  attempt.answer = { response, tail }
  const arrivals = watched(eventArrivals(reader, decoder, tail), answering)
  return { form: forward === 'bytes' ? 'events' : 'none', arrivals, onCommit: () => decoder.committed() }
}

/** Keeps what the connection throws, and takes the limit back at the end. */
function watched(source: AsyncIterable<Arrival>, { attempt, dialect, call, hop }: Answering): AsyncIterable<Arrival> {
  const sayable = dialect === call.dialect ? undefined : createSayableParts(call.dialect.codec.name)
  return {
    [Symbol.asyncIterator]() {
      const iterator = source[Symbol.asyncIterator]()
      return {
        async next() {
          try {
            const result = await iterator.next()
            if (result.done === true) hop.release()
            return result.done === true || sayable === undefined ? result : { done: false, value: sayable(result.value) }
          } catch (thrown) {
            hop.release()
            throw lookedAt(attempt, thrown, hop) ?? thrown
          }
        },
        async return() {
          hop.release()
          await iterator.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** Keeps what was thrown; gives what it is in truth, where that is not what it says. */
export function lookedAt(attempt: Attempt, thrown: unknown, hop: Hop): LegFailedError | undefined {
  const expired = hop.expired()
  if (expired !== undefined) return new LegFailedError(expired)
  attempt.thrown ??= { error: thrown }
  return isLegFailedError(thrown) ? thrown : undefined
}
