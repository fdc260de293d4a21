import { z } from 'zod'
import { readErrorLine } from '../admin-refusal.js'
import { CliError } from '../cli-error.js'
import type { Call, Command } from '../command.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { openClient } from '../open-client.js'
import { readAnswer } from '../read-answer.js'
import { wordsOf } from '../read-arguments.js'
import { ASKING, EVERYWHERE } from '../shared-options.js'
import { tryLine } from '../try-line.js'
import { withNearestName } from '../with-nearest-name.js'

const SLOWEST_LEG_MS = 120_000

/** What one leg answered. */
const trialAnswer = z.looseObject({
  provider: z.string(),
  model: z.string(),
  ok: z.boolean(),
  answer: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.number().nullish(),
  first_content_ms: z.number().nullish(),
  total_ms: z.number(),
})

/** `understudy try` */
export const tryRoute: Command = {
  name: 'try',
  forms: ['<route> [--preset <name>]'],
  summary: 'ask each leg alone, and say what it answered and how fast',
  details: ['Each leg gets a request of a few words, with the credentials of the server: it costs a few tokens a leg. Ends with 1 if one did not answer.'],
  options: [{ name: 'preset', value: '<name>', help: 'the legs of a preset; default those of the chain that runs' }, ...ASKING, ...EVERYWHERE],
  examples: ['understudy try chat', 'understudy try chat --preset local_only'],
  run: runTry,
}

async function runTry(call: Call): Promise<ExitCode> {
  const { args, screen, isJson } = call
  const [route = ''] = wordsOf(args, 'try', ['route'])
  const preset = args.text('preset')
  const client = openClient(call, SLOWEST_LEG_MS)
  let answered = 0
  let asked = 0

  await withNearestName(client, async () => {
    for await (const value of client.lines('/try', { route, ...(preset !== undefined && { preset }) })) {
      const broken = readErrorLine(value)
      if (broken !== undefined) throw broken
      const trial = readAnswer(trialAnswer, value, client.shown)
      asked += 1
      if (trial.ok) answered += 1
      if (isJson) screen.jsonLine(value)
      else screen.print(...tryLine(trial, screen))
    }
  }, { route, preset })

  if (asked === 0) throw new CliError(EXIT.refused, `${route} has no leg that could be tried`, { code: 'no_leg' })
  if (!isJson) screen.print(`${answered} of ${asked} legs answered`)
  return answered === asked ? EXIT.fine : EXIT.refused
}
