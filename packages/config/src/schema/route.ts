import { ADVANCE_SETS, isRecord, ORDERS, type AdvanceSet, type FailureKind, type Order } from '@understudy/core'
import { z } from 'zod'
import type { RouteSettings, WaitingComment } from '../routes-input.js'
import { strictObject } from './check-object.js'
import { choose } from './choose.js'
import { isKinds, KINDS_LIST, kindsMessage } from './failure-kinds.js'
import { chainLimits, legLimits } from './limits.js'
import { nameIssue } from './names.js'
import { count, ms, msOrFalse } from './numbers.js'
import { parameterDefaults } from './parameter-defaults.js'
import { oneOf, rule } from './rule.js'

const failureKinds = z.custom<readonly FailureKind[]>(isKinds, { error: ({ input }) => kindsMessage(input, KINDS_LIST) })

/** The failures that a chain moves on for. */
export const advanceOn = z.custom<AdvanceSet | readonly FailureKind[]>(
  (value) => ADVANCE_SETS.some((set) => set === value) || isKinds(value),
  { error: ({ input }) => kindsMessage(input, `one of ${ADVANCE_SETS.join(', ')}, or ${KINDS_LIST}`) },
)

const order = rule(
  (value): value is Order => typeof value === 'function' || ORDERS.some((name) => name === value),
  `one of ${ORDERS.join(', ')}, or a function that gives the candidates in the order to be tried`,
)

const comment: z.ZodType<WaitingComment> = strictObject({ afterMs: ms })
const noComment = rule((value): value is false => value === false, '{ afterMs } or false')

const waitingComment = choose<WaitingComment | false>((value) => (isRecord(value) ? comment : noComment))

const presetName = rule((value): value is string => nameIssue(value) === undefined, 'the name of a preset')
const marking = rule(
  (value): value is string => nameIssue(value) === undefined && String(value).length <= 100,
  'a text of at most 100 characters, without line breaks or other control characters',
)

/** What a route may set, and the options for all routes. */
export const routeSettings = {
  ...legLimits,
  ...chainLimits,
  advanceOn: advanceOn.optional(),
  idempotency: oneOf(['always', 'safe', 'never']).optional(),
  commit: oneOf(['first_content', 'first_chunk', 'established', 'complete']).optional(),
  bufferedVia: oneOf(['json', 'stream']).optional(),
  order: order.optional(),
  retries: count.optional(),
  retryOn: failureKinds.optional(),
  maxRetryAfterMs: msOrFalse.optional(),
  waitingComment: waitingComment.optional(),
  untranslatable: oneOf(['skip', 'refuse']).optional(),
  translate: oneOf(['full', 'minimal']).optional(),
  defaults: parameterDefaults.optional(),
} satisfies { readonly [Key in keyof RouteSettings]-?: z.ZodType<RouteSettings[Key]> }

/** A route that is written as an object. Its legs are looked at one by one. */
export const routeOptions = strictObject({
  ...routeSettings,
  legs: z.unknown().optional(),
  presets: z.unknown().optional(),
  active: presetName.optional(),
}, { dimensions: 'is undefined; it must be a whole number from 1, and makes the route one of embeddings: leave it out of any other' }, ['dimensions'])

/** A preset that is written as an object. Its legs are looked at one by one. */
export const presetOptions = strictObject({ legs: z.unknown().optional(), marking: marking.optional() })
