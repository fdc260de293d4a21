import { maskCredentials } from '../mask-credentials.js'
import { isObject, listOf, numberOf, objectOf, textOf, type JsonObject } from '../read-json.js'

/** More is not waited for anywhere; a quota of a day is not back sooner. */
const LONGEST_MS = 5 * 60 * 1000

/**
 * How long `google.rpc.RetryInfo` asks us to wait, in milliseconds: at most 5 minutes, and that long where a quota of a whole day is used
 * up, since the vendor then names seconds all the same. `undefined` if it does not say.
 *
 * https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto
 */
export function retryDelayMs(error: unknown): number | undefined {
  const details = detailsOf(error)
  if (details.some(isDailyQuota)) return LONGEST_MS
  for (const { retryDelay } of details) {
    const delayMs = durationMs(retryDelay)
    if (delayMs !== undefined) return Math.min(Math.max(Math.ceil(delayMs), 0), LONGEST_MS)
  }
  return undefined
}

/** The field that `google.rpc.BadRequest` names, as a path into the request; anything else is dropped, since it may hold anything. */
export function paramOf(error: unknown): string | undefined {
  for (const { fieldViolations } of detailsOf(error)) {
    const field = textOf(objectOf(listOf(fieldViolations)[0])?.field)
    if (field !== undefined && /^[\w.[\]-]{1,128}$/.test(field) && maskCredentials(field) === field) return field
  }
  return undefined
}

function detailsOf(error: unknown): readonly JsonObject[] {
  const envelope = objectOf(Array.isArray(error) ? listOf(error)[0] : error)
  const status = objectOf(envelope?.error) ?? envelope
  return listOf(status?.details).slice(0, 16).filter(isObject)
}

function isDailyQuota({ violations }: JsonObject): boolean {
  return listOf(violations).slice(0, 16).some((violation) => /PerDay/.test(textOf(objectOf(violation)?.quotaId) ?? ''))
}

/** A duration as JSON text (`22s`, `1.5s`), or as seconds and nanos. */
function durationMs(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(value)?.[1] : undefined
  if (seconds !== undefined) return Number(seconds) * 1000
  const duration = objectOf(value)
  const whole = numberOf(duration?.seconds) ?? Number(textOf(duration?.seconds) ?? NaN)
  return Number.isFinite(whole) ? whole * 1000 + (numberOf(duration?.nanos) ?? 0) / 1e6 : undefined
}
