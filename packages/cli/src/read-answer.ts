import type { z } from 'zod'
import { CliError } from './cli-error.js'
import { EXIT } from './exit-code.js'

/** What an answer has to be, by its schema. One that is something else comes from somewhere else, or from another version. */
export function readAnswer<Schema extends z.ZodType>(schema: Schema, value: unknown, shown: string): z.output<Schema> {
  const read = schema.safeParse(value, { jitless: true })
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.map(String).join('.')
  throw new CliError(
    EXIT.unreachable,
    `${shown} answered with something that is none of the control surface (${where}: ${issue?.message ?? 'odd'}); is it where adminMiddleware is mounted?`,
    { code: 'odd_answer' },
  )
}
