import { suggestName } from '@understudy/config'
import { CliError } from '../cli-error.js'
import type { Call, Command } from '../command.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { historyAnswer, historyLines } from '../history-lines.js'
import { openClient } from '../open-client.js'
import { readAnswer } from '../read-answer.js'
import { wholeNumber, wordsOf } from '../read-arguments.js'
import { ASKING, EVERYWHERE } from '../shared-options.js'
import { unknownRoute } from '../with-nearest-name.js'

/** `understudy history` */
export const history: Command = {
  name: 'history',
  forms: ['[<route>]'],
  summary: 'what was applied, refused and reverted, newest first, with who and why',
  options: [{ name: 'limit', value: '<number>', help: 'at most so many entries; default 20' }, ...ASKING, ...EVERYWHERE],
  examples: ['understudy history chat', 'understudy history --limit 100 --json'],
  run: runHistory,
}

async function runHistory(call: Call): Promise<ExitCode> {
  const { args, screen, isJson } = call
  const [route] = wordsOf(args, 'history', args.words.length === 0 ? [] : ['route'])
  const limit = wholeNumber(args.text('limit') ?? '20', '--limit', 'history')
  const client = openClient(call)
  const { value, at } = await client.get('/history', { ...(route !== undefined && { route }), limit: String(limit) })
  const { entries } = readAnswer(historyAnswer, value, client.shown)
  // A misspelt route has no history either.
  const known = route !== undefined && entries.length === 0 ? await unknownRoute(client, route) : undefined
  if (route !== undefined && known !== undefined) {
    throw new CliError(EXIT.refused, `no route is called '${route}'; ${suggestName(route, known)}`, { code: 'unknown_route' })
  }
  if (isJson) screen.json(value)
  else if (entries.length === 0) screen.print(route === undefined ? 'nothing was changed yet' : `no change of ${route} is known`)
  else screen.print(...historyLines(entries, route, at, screen))
  return EXIT.fine
}
