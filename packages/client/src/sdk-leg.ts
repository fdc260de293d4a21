import type { Leg, LegAnswer, LegContext } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { isUntranslatableRequestError } from '@understudy/dialects'
import type { Attempt } from './attempt.js'
import type { ClientCall, ClientEntry } from './client-call.js'
import type { LegParts } from './client-chain.js'
import { isUntranslatableModelError, UntranslatableModelError } from './errors.js'
import { createHop } from './hop.js'
import type { RequestParams } from './options.js'
import { passedHeaders } from './passed-headers.js'
import { bodyFor } from './request-body.js'
import { lookedAt, openedAnswer } from './sdk-answer.js'
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
      return openedAnswer(response, { attempt, dialect, call, hop })
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
