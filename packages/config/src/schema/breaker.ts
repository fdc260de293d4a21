import { isRecord } from '@understudy/core'
import type { BreakerOptions, Counts, FailureKind, RatioOptions } from '@understudy/core'
import { z } from 'zod'
import { strictObject } from './check-object.js'
import { choose } from './choose.js'
import { isKinds, KINDS_LIST, kindsMessage } from './failure-kinds.js'
import { atLeastOne, ms, share } from './numbers.js'
import { rule } from './rule.js'

type Shape<Members> = { readonly [Key in keyof Members]-?: z.ZodType<Members[Key]> }

const COUNTS: readonly Counts[] = ['table', 'sdk']

const counts = z.custom<Counts | readonly FailureKind[]>(
  (value) => COUNTS.some((name) => name === value) || isKinds(value),
  { error: ({ input }) => kindsMessage(input, `one of ${COUNTS.join(', ')}, or ${KINDS_LIST}`) },
)

const ratioOptions: z.ZodType<RatioOptions> = strictObject({
  threshold: rule((value): value is number => share(value) && value > 0, 'a number above 0, at most 1').optional(),
  windowMs: ms.optional(),
  minimumCalls: atLeastOne.optional(),
} satisfies Shape<RatioOptions>)
const noRatio = rule((value): value is false => value === false, '{ threshold, windowMs, minimumCalls } or false')

const ratio = choose<RatioOptions | false>((value) => (isRecord(value) ? ratioOptions : noRatio))

const breakerOptions: z.ZodType<BreakerOptions> = strictObject({
  failureThreshold: atLeastOne.optional(),
  ratio: ratio.optional(),
  recoveryMs: ms.optional(),
  jitter: rule(share, 'a number from 0 to 1').optional(),
  successThreshold: atLeastOne.optional(),
  counts: counts.optional(),
} satisfies Shape<BreakerOptions>)
const noBreaker = rule((value): value is false => value === false, '{ failureThreshold, recoveryMs, ... } or false for none')

/** How breakers behave, or that there is none. */
export const breaker = choose<BreakerOptions | false>((value) => (isRecord(value) ? breakerOptions : noBreaker))
