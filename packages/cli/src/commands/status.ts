import type { Call, Command } from '../command.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { openClient } from '../open-client.js'
import { readAnswer } from '../read-answer.js'
import { wordsOf } from '../read-arguments.js'
import { ASKING, EVERYWHERE } from '../shared-options.js'
import { statusAnswer } from '../status/status-answer.js'
import { statusLines } from '../status/status-lines.js'

/** `understudy status` */
export const status: Command = {
  name: 'status',
  forms: [''],
  summary: 'what is live where, since when, by whom, and how the legs are doing',
  details: ['A leg that never served since the start of the server is unproven: try it before you move traffic to it.'],
  options: [...ASKING, ...EVERYWHERE],
  examples: ['understudy status', "understudy status --json | jq '.routes[].chain'"],
  run: runStatus,
}

async function runStatus(call: Call): Promise<ExitCode> {
  const { args, screen, isJson } = call
  wordsOf(args, 'status', [])
  const client = openClient(call)
  const { value, at } = await client.get('/status')
  const read = readAnswer(statusAnswer, value, client.shown)
  if (isJson) screen.json(value)
  else screen.print(...statusLines(read, client.shown, read.at ?? at, screen))
  return EXIT.fine
}
