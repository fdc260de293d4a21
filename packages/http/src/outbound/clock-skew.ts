import type { AnswerHead } from './exchange.js'
import { headerText } from './response-headers.js'

/** How far a provider's clock is ahead of ours. Changed by `noteSkew`. */
export interface ClockSkew {
  /** Negative = behind. 0 until the provider told. */
  ms: number
}

/** AWS takes signatures of five minutes before and behind its own time, so that less is no reason to refuse one. */
const LEAST_SKEW_MS = 60_000

/**
 * What AWS calls the refusal of a signature whose time is wrong, or that is wrong for any other reason.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
 */
const REFUSALS = /^(?:InvalidSignatureException|SignatureDoesNotMatch|RequestTimeTooSkewed|RequestExpired|RequestInTheFuture)\b/

/**
 * Learns from an answer that refuses a signature what time it is at the provider, so that the next one is made for that. `now`: ours, in
 * milliseconds since the epoch.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html
 */
export function noteSkew(skew: ClockSkew, { status, headers }: AnswerHead, now: number): void {
  if (status < 400 || status > 403 || !REFUSALS.test(headerText(headers, 'x-amzn-errortype') ?? '')) return
  const ahead = Date.parse(headerText(headers, 'date') ?? '') - now
  if (Math.abs(ahead - skew.ms) >= LEAST_SKEW_MS) skew.ms = ahead
}
