import { z } from 'zod'
import { kindOf, show } from '../show.js'

/** The message of a value that is wrong: what came, and what would be right. */
export function wrong(value: unknown, right: string): string {
  return value === undefined ? `is missing; it must be ${right}` : `is ${show(value)}; it must be ${right}`
}

/** The same for a value that may be secret: only its kind is shown. */
export function wrongSecret(value: unknown, right: string): string {
  if (value === undefined) return `is missing; it must be ${right}`
  return `is ${kindOf(value)} that does not fit; it must be ${right}`
}

/** A value that passes a test, with one message for all that do not. */
export function rule<Value>(test: (value: unknown) => value is Value, right: string): z.ZodType<Value> {
  return z.custom<Value>(test, { error: ({ input }) => wrong(input, right) })
}

/** The same for a value that may be secret. */
export function secretRule<Value>(test: (value: unknown) => value is Value, right: string): z.ZodType<Value> {
  return z.custom<Value>(test, { error: ({ input }) => wrongSecret(input, right) })
}

/** One of a few words. */
export function oneOf<Word extends string>(
  words: readonly Word[],
  right = `one of ${words.join(', ')}`,
): z.ZodType<Word> {
  return rule((value): value is Word => words.some((word) => word === value), right)
}

/** A switch. */
export const boolean = rule((value): value is boolean => typeof value === 'boolean', 'true or false')
