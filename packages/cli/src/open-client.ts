import { readAddress } from './admin-address.js'
import type { AdminClient } from './admin-client.js'
import { createAdminClient } from './admin-client.js'
import { CliError } from './cli-error.js'
import type { Call } from './command.js'
import { readDuration } from './duration.js'
import { EXIT } from './exit-code.js'
import { readHeaders } from './read-headers.js'

const DEFAULT_MS = 10_000

/** The client of a call, from its options and the environment. */
export function openClient({ args, context, screen }: Call, defaultMs = DEFAULT_MS): AdminClient {
  const { env, signal, now } = context
  const { headers, secrets } = readHeaders(args.texts('header'), env['UNDERSTUDY_ADMIN_TOKEN'])
  for (const secret of secrets) screen.hide(secret)
  const address = readAddress(args.text('url'), env['UNDERSTUDY_ADMIN_URL'])
  return createAdminClient({ address, headers, timeoutMs: optionalDuration(args.text('timeout'), '--timeout') ?? defaultMs, signal, screen, now })
}

/** An option that is a duration, in ms. */
export function optionalDuration(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined
  const read = readDuration(text)
  if ('wrong' in read) throw new CliError(EXIT.wrongUse, `${name}: ${read.wrong}`, { code: 'wrong_use' })
  return read.ms
}
