import type { ChainLimits, LegLimits } from '@understudy/core'
import type { z } from 'zod'
import { ms, msFromZero, msOrFalse } from './numbers.js'

type Shape<Members> = { readonly [Key in keyof Members]-?: z.ZodType<Members[Key]> }

/** The limits of one attempt. */
export const legLimits = {
  connectTimeoutMs: ms.optional(),
  firstContentTimeoutMs: ms.optional(),
  idleTimeoutMs: ms.optional(),
  timeoutMs: ms.optional(),
  maxStreamMs: msOrFalse.optional(),
  finishGraceMs: ms.optional(),
} satisfies Shape<LegLimits>

/** The limits of a whole chain. */
export const chainLimits = {
  deadlineMs: msOrFalse.optional(),
  windowMs: msFromZero.optional(),
  minAttemptMs: ms.optional(),
} satisfies Shape<ChainLimits>
