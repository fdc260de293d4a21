import type { Failure, FailureKind } from './failure.js'

/** What an attempt says about the health of its provider. Falls at the end of the attempt, not at its headers. */
export type Verdict = 'charge' | 'neutral' | 'cooldown' | 'success'

/** What the chain does about a failure before commit. */
export type NextStep = 'advance' | 'stop'

/** A named set of failure kinds that move on to the next leg. */
export type AdvanceSet = 'leg_faults' | 'any' | 'retryable' | 'triggers'

/** Failure kind -> health verdict: the "health" column of the failure table. */
const HEALTH = {
  connection_error: 'charge',
  timeout: 'charge',
  rate_limit: 'cooldown',
  overloaded: 'charge',
  server_error: 'charge',
  auth_error: 'charge',
  not_found: 'neutral',
  invalid_request: 'neutral',
  context_length: 'neutral',
  content_filter: 'neutral',
  malformed: 'charge',
  empty: 'charge',
  truncated: 'charge',
  refused: 'neutral',
  aborted: 'neutral',
} as const satisfies Record<FailureKind, Verdict>

/** The kinds that each named set moves on for. What the client aborted never moves on, whatever set is asked for. */
const ADVANCES = {
  leg_faults: {
    connection_error: true,
    timeout: true,
    rate_limit: true,
    overloaded: true,
    server_error: true,
    auth_error: true,
    not_found: true,
    invalid_request: false,
    context_length: true,
    content_filter: false,
    malformed: true,
    empty: true,
    truncated: true,
    refused: false,
    aborted: false,
  },
  any: {
    connection_error: true,
    timeout: true,
    rate_limit: true,
    overloaded: true,
    server_error: true,
    auth_error: true,
    not_found: true,
    invalid_request: true,
    context_length: true,
    content_filter: true,
    malformed: true,
    empty: true,
    truncated: true,
    refused: false,
    aborted: false,
  },
  retryable: {
    connection_error: true,
    timeout: true,
    rate_limit: true,
    overloaded: true,
    server_error: true,
    auth_error: false,
    not_found: false,
    invalid_request: false,
    context_length: false,
    content_filter: false,
    malformed: false,
    empty: false,
    truncated: false,
    refused: false,
    aborted: false,
  },
  triggers: {
    connection_error: true,
    timeout: true,
    rate_limit: true,
    overloaded: true,
    server_error: true,
    auth_error: false,
    not_found: false,
    invalid_request: false,
    context_length: false,
    content_filter: false,
    malformed: true,
    empty: true,
    truncated: true,
    refused: false,
    aborted: false,
  },
} as const satisfies Record<AdvanceSet, Record<FailureKind, boolean>>

/** Every failure kind, in the order of the failure table. */
export const FAILURE_KINDS = Object.keys(HEALTH) as readonly FailureKind[]

/** Every named advance set. */
export const ADVANCE_SETS = Object.keys(ADVANCES) as readonly AdvanceSet[]

/** What a failure says about its provider's health. */
export function healthOf(failure: Failure): Verdict {
  return failure.internal === true ? 'neutral' : HEALTH[failure.kind]
}

/**
 * The kinds that move on: a named set, or a list (from which `aborted` and `refused` are taken out). Throws a `TypeError` for
 * a name that is none.
 */
export function advanceKinds(advanceOn: AdvanceSet | readonly FailureKind[] = 'leg_faults'): ReadonlySet<FailureKind> {
  if (typeof advanceOn !== 'string') {
    return new Set(advanceOn.filter((kind) => Object.hasOwn(ADVANCES.any, kind) && ADVANCES.any[kind]))
  }
  if (!Object.hasOwn(ADVANCES, advanceOn)) {
    throw new TypeError(`advanceOn: '${advanceOn}' is no set of failures; use one of ${ADVANCE_SETS.join(', ')}, or a list`)
  }
  return new Set(FAILURE_KINDS.filter((kind) => ADVANCES[advanceOn][kind]))
}

/** Whether the chain moves on after a failure. */
export function nextStep(failure: Failure, kinds: ReadonlySet<FailureKind>): NextStep {
  return kinds.has(failure.kind) ? 'advance' : 'stop'
}
