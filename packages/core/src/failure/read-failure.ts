import type { Failure } from './failure.js'
import { failureOf, isFailureKind, isProcessed, isTimeoutPhase } from './failure.js'
import { field, numberField, textField } from './field.js'
import type { Usage } from '../part.js'

/**
 * A failure that somebody else made: only what a failure may hold, and only where it is what it should be. `undefined` if it is
 * no failure. Never throws.
 */
export function readFailure(value: unknown): Failure | undefined {
  const kind = field(value, 'kind')
  if (!isFailureKind(kind)) return undefined
  const processed = field(value, 'processed')
  const phase = field(value, 'phase')
  const shouldRetry = field(value, 'shouldRetry')
  return failureOf(kind, {
    processed: isProcessed(processed) ? processed : undefined,
    phase: isTimeoutPhase(phase) ? phase : undefined,
    status: numberField(value, 'status'),
    code: codeField(value),
    retryAfterMs: numberField(value, 'retryAfterMs'),
    shouldRetry: typeof shouldRetry === 'boolean' ? shouldRetry : undefined,
    internal: field(value, 'internal') === true ? true : undefined,
    providerRequestId: textField(value, 'providerRequestId'),
    usage: readUsage(field(value, 'usage')),
    providerMessage: textField(value, 'providerMessage'),
    param: paramField(value),
  })
}

/** A code that may stand in trails and logs; others may hold anything. */
export function codeField(value: unknown): string | undefined {
  const code = textField(value, 'code')
  return code !== undefined && /^[\w.-]{1,64}$/.test(code) ? code : undefined
}

/** A path into a request, such as `messages[0].content`; others may hold anything. */
function paramField(value: unknown): string | undefined {
  const param = textField(value, 'param')
  return param !== undefined && /^[\w.[\]-]{1,128}$/.test(param) ? param : undefined
}

function readUsage(value: unknown): Usage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const usage: Record<keyof Usage, number | undefined> = {
    inputTokens: numberField(value, 'inputTokens'),
    outputTokens: numberField(value, 'outputTokens'),
    totalTokens: numberField(value, 'totalTokens'),
    cachedInputTokens: numberField(value, 'cachedInputTokens'),
    cacheWriteTokens: numberField(value, 'cacheWriteTokens'),
    reasoningTokens: numberField(value, 'reasoningTokens'),
  }
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined))
}
