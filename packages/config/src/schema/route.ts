import { ADVANCE_SETS, FAILURE_KINDS, type AdvanceSet, type FailureKind } from '@understudy/core'
import { z } from 'zod'
import { suggestName } from '../nearest-name.js'
import type { RouteSettings, WaitingComment } from '../routes-input.js'
import { quote } from '../show.js'
import { strictObject } from './check-object.js'
import { choose } from './choose.js'
import { chainLimits, legLimits } from './limits.js'
import { count, ms, msOrFalse } from './numbers.js'
import { parameterDefaults } from './parameter-defaults.js'
import { isObject, oneOf, rule, wrong } from './rule.js'

/** What a chain never moves on from, and a retry never follows: they were meant. */
const MEANT: readonly FailureKind[] = ['refused', 'aborted']
const KINDS = FAILURE_KINDS.filter((kind) => !MEANT.includes(kind))

function isKind(value: unknown): value is FailureKind {
  return KINDS.some((kind) => kind === value)
}

function isKinds(value: unknown): value is readonly FailureKind[] {
  return Array.isArray(value) && value.every(isKind)
}

function kindsMessage(value: unknown, right: string): string {
  if (!Array.isArray(value)) return wrong(value, right)
  const stranger: unknown = value.find((item) => !isKind(item))
  return typeof stranger === 'string'
    ? `holds ${quote(stranger)}, which is none of the failure kinds; ${suggestName(stranger, KINDS)}`
    : `holds ${wrong(stranger, `one of ${KINDS.join(', ')}`).replace(/^is /, '')}`
}

const LIST = `a list of failure kinds (${KINDS.join(', ')})`

const failureKinds = z.custom<readonly FailureKind[]>(isKinds, { error: ({ input }) => kindsMessage(input, LIST) })

const advanceOn = z.custom<AdvanceSet | readonly FailureKind[]>(
  (value) => ADVANCE_SETS.some((set) => set === value) || isKinds(value),
  { error: ({ input }) => kindsMessage(input, `one of ${ADVANCE_SETS.join(', ')}, or ${LIST}`) },
)

const comment: z.ZodType<WaitingComment> = strictObject({ afterMs: ms })
const noComment = rule((value): value is false => value === false, '{ afterMs } or false')

const waitingComment = choose<WaitingComment | false>((value) => (isObject(value) ? comment : noComment))

/** What a route may set, and the options for all routes. */
export const routeSettings = {
  ...legLimits,
  ...chainLimits,
  advanceOn: advanceOn.optional(),
  idempotency: oneOf(['always'], "'always', the only value so far").optional(),
  commit: oneOf(['first_content', 'first_chunk', 'established', 'complete']).optional(),
  bufferedVia: oneOf(['json', 'stream']).optional(),
  retries: count.optional(),
  retryOn: failureKinds.optional(),
  maxRetryAfterMs: msOrFalse.optional(),
  waitingComment: waitingComment.optional(),
  defaults: parameterDefaults.optional(),
} satisfies { readonly [Key in keyof RouteSettings]-?: z.ZodType<RouteSettings[Key]> }

/** A route that is written as an object. Its legs are looked at one by one. */
export const routeOptions = strictObject({ ...routeSettings, legs: z.unknown().optional() })
