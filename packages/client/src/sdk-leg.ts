import type { Arrival, Leg, LegAnswer, LegContext } from '@understudy/core'
import { failureOf, isLegFailedError, LegFailedError } from '@understudy/core'
import { createSayableParts, isUntranslatableRequestError } from '@understudy/dialects'
import { documentArrivals, eventArrivals } from './answer-arrivals.js'
import type { Attempt } from './attempt.js'
import { readBytes } from './byte-reader.js'
import type { ClientCall, ClientEntry } from './client-call.js'
import type { LegParts } from './client-chain.js'
import { isUntranslatableModelError, UntranslatableModelError } from './errors.js'
import { createHop, type Hop } from './hop.js'
import type { RequestParams } from './options.js'
import { passedHeaders } from './passed-headers.js'
import { createRawTail } from './raw-tail.js'
import { bodyFor } from './request-body.js'
import { memberOf } from './sdk-client.js'
import { failureOfThrown } from './sdk-failure.js'

/** What all legs of a call have in common. */
export interface SdkLegOptions extends LegParts {
  readonly call: ClientCall
}

/** A leg that asks a provider through its SDK. */
export function createSdkLeg(entry: ClientEntry, options: SdkLegOptions): Leg {
  const { call, onAttempt, hopTimeoutMs, limits, clock, wallClock } = options
  const { client, dialect, provider } = entry
  const model = call.request.model !== undefined && entry.isPrimary ? call.request.model : entry.model

  async function open(_request: unknown, context: LegContext): Promise<LegAnswer> {
    const attempt: Attempt = { entry }
    onAttempt(attempt)
    // An SDK's call resolves at the headers and cannot say when it is connected.
    context.onConnect()
    const body = writeBody(attempt)
    const hop = createHop(context.signal, hopTimeoutMs, clock)
    try {
      // The caller's headers, its query and its key of the request are its own endpoint's business.
      const response = await dialect.send(client, {
        model: model ?? '',
        body,
        stream: call.request.stream,
        options: entry.isPrimary ? call.options : { headers: dialect === call.dialect ? passedHeaders(call.options['headers']) : {} },
        isPrimary: entry.isPrimary,
        timeout: timeoutOf(),
        signal: hop.signal,
      })
      return answerOf(attempt, response, hop)
    } catch (thrown) {
      hop.release()
      const looked = lookedAt(attempt, thrown, hop)
      if (memberOf(thrown, 'status') === undefined && !isSayable(body)) {
        // The SDK could not write it down: it is the caller's fault, and nobody was asked.
        throw new LegFailedError(failureOf('refused', { processed: 'no', code: 'unserializable' }), { cause: thrown })
      }
      throw looked ?? new LegFailedError(failureOfThrown(thrown, dialect, wallClock()), { cause: thrown })
    }
  }

  function writeBody(attempt: Attempt): RequestParams {
    try {
      if (model === undefined || model === '') throw new UntranslatableModelError({ model, provider })
      return bodyFor(entry, call, model)
    } catch (thrown) {
      attempt.thrown = { error: thrown }
      if (!isUntranslatableRequestError(thrown) && !isUntranslatableModelError(thrown)) {
        // Our own code failed, and nobody was asked.
        throw new LegFailedError(failureOf('server_error', { processed: 'no', internal: true, code: 'internal_error' }), { cause: thrown })
      }
      // What is no provider's fault ends the chain: no later entry would say what the caller meant to say.
      throw new LegFailedError(failureOf('refused', { code: 'untranslatable' }), { cause: thrown })
    }
  }

  function timeoutOf(): number {
    const limits = [hopTimeoutMs, call.options['timeout'], memberOf(client, 'timeout')]
    return Math.min(...limits.filter((limit) => typeof limit === 'number'))
  }

  function answerOf(attempt: Attempt, response: Response, hop: Hop): LegAnswer {
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
      return { form: 'json', arrivals: watched(attempt, arrivals, hop), onCommit: hop.release }
    }
    const tail = createRawTail()
    const forward = isSame && stream ? 'bytes' : 'parts'
    const decoder = codec.createStreamDecoder({ forward })
    attempt.answer = { response, tail }
    const arrivals = watched(attempt, eventArrivals(reader, decoder, tail), hop)
    return { form: forward === 'bytes' ? 'events' : 'none', arrivals, onCommit: () => decoder.committed() }
  }

  /** Keeps what the connection throws, and takes the limit back at the end. */
  function watched(attempt: Attempt, source: AsyncIterable<Arrival>, hop: Hop): AsyncIterable<Arrival> {
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
  function lookedAt(attempt: Attempt, thrown: unknown, hop: Hop): LegFailedError | undefined {
    const expired = hop.expired()
    if (expired !== undefined) return new LegFailedError(expired)
    attempt.thrown ??= { error: thrown }
    return isLegFailedError(thrown) ? thrown : undefined
  }

  return { provider, model: model ?? '', limits, wholeAnswers: true, open }
}

/** Whether a body can be written as JSON: one with a circle, a `bigint` or a `toJSON` that throws cannot. */
function isSayable(body: RequestParams): boolean {
  try {
    JSON.stringify(body)
    return true
  } catch {
    return false
  }
}
