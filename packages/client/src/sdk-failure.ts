import type { Failure } from '@understudy/core'
import { classify } from '@understudy/core'
import { isObject, memberOf } from './sdk-client.js'
import type { SdkDialect } from './sdk-dialect.js'

/**
 * Why a call of an SDK failed: an answer with a status is read as its dialect reads it, anything else (a connection, a limit of
 * the SDK) by its codes and names. Never throws.
 */
export function failureOfThrown(thrown: unknown, { codec, errorBody }: Pick<SdkDialect, 'codec' | 'errorBody'>, now: number): Failure {
  const status = memberOf(thrown, 'status')
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 300 || status > 599) return classify(thrown)
  const body = textOf(errorBody(thrown))
  return codec.decodeFailure({ status, headers: headersOf(memberOf(thrown, 'headers')), body, now })
}

function textOf(body: unknown): string {
  try {
    return body === undefined ? '' : (JSON.stringify(body) ?? '')
  } catch {
    // A body that a stranger made up: its status has to do.
    return ''
  }
}

function headersOf(headers: unknown): Readonly<Record<string, string | undefined>> {
  if (headers instanceof Headers) return Object.fromEntries(headers)
  if (!isObject(headers)) return {}
  const texts = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  )
  return Object.fromEntries(texts)
}
