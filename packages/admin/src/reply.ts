import type { OutboundResponse } from '@understudy/http'

/** Why a call was refused. A stable word for scripts; the status says how to take it. */
export type AdminErrorCode =
  | 'forbidden'
  | 'cross_origin'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'too_large'
  | 'invalid_request'
  | 'invalid_change'
  | 'unknown_route'
  | 'unknown_preset'
  | 'unknown_leg'
  | 'unknown_version'
  | 'unknown_drill'
  | 'nothing_to_revert'
  | 'version_conflict'
  | 'no_writable_source'
  | 'source_unavailable'
  | 'closed'
  | 'internal_error'

const STATUS = {
  forbidden: 403,
  cross_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  too_large: 413,
  invalid_request: 400,
  invalid_change: 400,
  unknown_route: 404,
  unknown_preset: 404,
  unknown_leg: 404,
  unknown_version: 404,
  unknown_drill: 404,
  nothing_to_revert: 409,
  version_conflict: 409,
  no_writable_source: 501,
  source_unavailable: 503,
  closed: 503,
  internal_error: 500,
} as const satisfies Record<AdminErrorCode, number>

/** What a refusal says beside its code and message. */
export interface RefusalDetails {
  readonly issues?: readonly { readonly path: string; readonly message: string }[] | undefined
  /** With `version_conflict`: what is live. */
  readonly actualVersion?: number | undefined
}

/** On every answer: for nobody else, for no frame, and never kept. */
export const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const satisfies Readonly<Record<string, string>>

/** An answer in JSON. */
export function jsonReply(value: unknown, status = 200): OutboundResponse {
  const body = Buffer.from(JSON.stringify(value))
  const headers = { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8', 'content-length': String(body.byteLength) }
  return { status, headers, body }
}

/** The answer to a call that is not done. */
export function refusal(code: AdminErrorCode, message: string, { issues = [], actualVersion }: RefusalDetails = {}): OutboundResponse {
  const error = {
    code,
    message,
    ...(issues.length > 0 && { issues }),
    ...(actualVersion !== undefined && { actual_version: actualVersion }),
  }
  return jsonReply({ error }, STATUS[code])
}

/** A stream that is written as it comes. */
export function streamReply(type: string, body: AsyncIterable<Uint8Array>): OutboundResponse {
  // Some proxies hold a stream back unless they are told not to.
  return { status: 200, headers: { ...SAFE_HEADERS, 'content-type': type, 'x-accel-buffering': 'no' }, body }
}
