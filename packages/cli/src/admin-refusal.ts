import { z } from 'zod'
import { CliError } from './cli-error.js'
import type { ExitCode } from './exit-code.js'
import { EXIT } from './exit-code.js'
import { plainText } from './text-width.js'

const refusal = z.looseObject({
  error: z.looseObject({
    code: z.string(),
    message: z.string(),
    issues: z.array(z.looseObject({ path: z.string(), message: z.string() })).optional(),
    actual_version: z.number().optional(),
    expected_version: z.number().optional(),
  }),
})

/** What a status that is no success says, with the words of the surface if they are there. */
export function readRefusal(status: number, text: string, shown: string): CliError {
  const read = refusalIn(text)
  if (read === undefined) {
    if (status >= 300 && status < 400) {
      return new CliError(EXIT.unreachable, `${shown} answered ${status}; redirects are not followed: give the final address`, { code: 'odd_answer' })
    }
    if (status === 401 || status === 403) return new CliError(EXIT.forbidden, `${shown} does not let you (${status}); ${CREDENTIALS}`, { code: 'forbidden' })
    const why = status >= 500 ? 'the server, or something in front of it, is in trouble' : 'is it where adminMiddleware is mounted?'
    return new CliError(EXIT.unreachable, `${shown} answered ${status} with something that is none of the control surface; ${why}`, { code: 'odd_answer' })
  }
  const { code, message, issues, actual_version: actualVersion } = read.error
  const said = plainText(message)
  const hint = status === 401 || status === 403 ? `; ${CREDENTIALS}` : ''
  const fields = { status, ...(actualVersion !== undefined && { actual_version: actualVersion }) }
  return new CliError(exitCodeOf(status, code), said === '' ? `${shown} refused it (${code})` : `${said}${hint}`, { code, issues, fields })
}

const CREDENTIALS = 'give --header, or set UNDERSTUDY_ADMIN_TOKEN'

/** An error that stands among the lines of an answer that began well. */
export function readErrorLine(value: unknown): CliError | undefined {
  const read = refusal.safeParse(value, { jitless: true })
  return read.success ? new CliError(EXIT.unreachable, plainText(read.data.error.message), { code: read.data.error.code }) : undefined
}

function refusalIn(text: string): z.output<typeof refusal> | undefined {
  try {
    return refusal.safeParse(JSON.parse(text), { jitless: true }).data
  } catch {
    return undefined
  }
}

function exitCodeOf(status: number, code: string): ExitCode {
  if (code === 'version_conflict') return EXIT.conflict
  if (status === 401 || status === 403) return EXIT.forbidden
  // 501: it cannot be done there, now or later.
  return status >= 500 && status !== 501 ? EXIT.unreachable : EXIT.refused
}
