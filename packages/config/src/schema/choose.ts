import { z } from 'zod'
import { WITHOUT_EVAL } from './without-eval.js'

/** The schema that a value seems to be meant for, so that the messages are that schema's alone. */
export function choose<Output>(pick: (value: unknown) => z.ZodType<Output>): z.ZodType<Output> {
  return z.unknown().transform((value, context): Output => {
    const result = pick(value).safeParse(value, WITHOUT_EVAL)
    if (result.success) return result.data
    for (const issue of result.error.issues) context.issues.push({ ...issue, input: undefined })
    return z.NEVER
  })
}
