import { CliError } from './cli-error.js'
import type { Call } from './command.js'
import { EXIT } from './exit-code.js'
import { required, wholeNumber } from './read-arguments.js'

/** Who changes something, and why, as the control surface takes it. */
export function changeAuthor({ args, context }: Call, command: string): { readonly actor: string; readonly reason: string } {
  const reason = required(args, command, 'reason', "say why, it stands in the history: --reason 'answers got worse'")
  const actor = (args.text('actor') ?? context.user() ?? '').trim()
  if (actor === '') throw new CliError(EXIT.wrongUse, '--actor is missing, and this machine does not say who you are', { code: 'wrong_use', usageOf: command })
  return { actor, reason }
}

/** The same, with the version that a change of the document is held to. */
export function changeFields(call: Call, command: string): Readonly<Record<string, unknown>> {
  const expected = call.args.text('expect')
  return {
    ...changeAuthor(call, command),
    // 0 is right here: no document was live.
    ...(expected !== undefined && { expected_version: expected === '0' ? 0 : wholeNumber(expected, '--expect', command) }),
  }
}
