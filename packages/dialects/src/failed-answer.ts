import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { readFailureHeaders } from './answer-headers.js'
import type { FailedAnswer } from './dialect-codec.js'
import type { ErrorEvidence } from './error-evidence.js'
import type { ToFailure } from './failure-kind.js'
import { parseJson } from './read-json.js'
import { remembered } from './remembered.js'

/** What an error says of itself, without what stands around it. */
export interface SaidError {
  readonly evidence: ErrorEvidence
  readonly param?: string | undefined
  readonly retryAfterMs?: number | undefined
}

/** Where a dialect says what went wrong. */
export interface ErrorPlaces {
  /** Reads the body, as JSON, and the name that stands in a header. */
  readonly read: (body: unknown, name: string) => SaidError
  /** The header with the name of an error, in lower case. Default: it has none. */
  readonly nameHeader?: string | undefined
}

/**
 * Makes a dialect's `decodeFailure`: what an answer outside 2xx means. A body that is no JSON says nothing: the status decides. What a provider
 * that is down answers is mostly the same for everybody, and then read once.
 */
export function createDecodeFailure(toFailure: ToFailure, { read, nameHeader = '' }: ErrorPlaces): (answer: FailedAnswer) => Failure {
  const told = remembered((answer) => {
    // No header holds a line break.
    const [status = '', name = ''] = answer.split('\n', 2)
    const { evidence, param, retryAfterMs } = read(parseJson(answer.slice(status.length + name.length + 2)), name)
    return toFailure({ ...evidence, status: Number(status) }, { param, retryAfterMs })
  })

  return ({ status, headers, body, now }) => {
    const { kind, code, providerMessage, param, retryAfterMs } = told(`${status}\n${headers[nameHeader] ?? ''}\n${body}`)
    const around = readFailureHeaders(headers, now)
    return failureOf(kind, {
      status,
      code,
      providerMessage,
      param,
      retryAfterMs: around.retryAfterMs ?? retryAfterMs,
      shouldRetry: around.shouldRetry,
      providerRequestId: around.providerRequestId,
    })
  }
}
