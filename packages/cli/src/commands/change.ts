import { z } from 'zod'
import { changeFields } from '../change-author.js'
import { CliError } from '../cli-error.js'
import type { Call, Command } from '../command.js'
import { showDuration } from '../duration.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { openClient, optionalDuration } from '../open-client.js'
import { readAnswer } from '../read-answer.js'
import { wholeNumber, wordsOf } from '../read-arguments.js'
import { runningWords } from '../running-words.js'
import { ASKING, CHANGING, EVERYWHERE, EXPECTING } from '../shared-options.js'
import { plainText } from '../text-width.js'
import { withNearestName } from '../with-nearest-name.js'

const OPTIONS = [...CHANGING, ...EXPECTING, ...ASKING, ...EVERYWHERE]

const LONGEST_PIN_MS = 7 * 86_400_000

const changeAnswer = z.looseObject({ version: z.number(), previous_version: z.number() })

interface Change {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly done: string
  /** Where the version is the same as before. */
  readonly already: string
  /** Whose chain the words of `done` do not say: it is asked for. */
  readonly ask?: string
}

/** `understudy pin` */
export const pin: Command = {
  name: 'pin',
  forms: ['<route> <preset> --reason <text> [--for <time>]'],
  summary: 'select a preset of a route for a time; it goes back to normal by itself',
  details: ['Without --for it holds for 4 hours. Extending it is another pin. At most 7 days.'],
  options: [{ name: 'for', value: '<time>', help: '90s, 45m, 2h, 1h30m; default 4h' }, ...OPTIONS],
  examples: ["understudy pin chat local_only --reason 'answers got worse' --for 45m"],
  run(call) {
    const [route = '', preset = ''] = wordsOf(call.args, 'pin', ['route', 'preset'])
    const forMs = optionalDuration(call.args.text('for'), '--for')
    if (forMs !== undefined && forMs > LONGEST_PIN_MS) {
      throw new CliError(EXIT.wrongUse, '--for is over 7 days: that is no pin but a change of the chains', { code: 'wrong_use', usageOf: 'pin' })
    }
    return change(call, {
      path: '/pin',
      body: { route, preset, ...(forMs !== undefined && { for_ms: forMs }), ...changeFields(call, 'pin') },
      done: `${plainText(route)} runs preset '${plainText(preset)}' for ${forMs === undefined ? 'the 4h that are the default' : showDuration(forMs)}`,
      already: `${plainText(route)} runs preset '${plainText(preset)}' already`,
    })
  },
}

/** `understudy unpin` */
export const unpin: Command = {
  name: 'unpin',
  forms: ['<route> --reason <text>'],
  summary: "select the preset 'normal' of a route again",
  options: OPTIONS,
  examples: ["understudy unpin chat --reason 'large is well again'"],
  run(call) {
    const [route = ''] = wordsOf(call.args, 'unpin', ['route'])
    return change(call, {
      path: '/unpin',
      body: { route, ...changeFields(call, 'unpin') },
      done: `${plainText(route)} runs preset 'normal' again`,
      already: `${plainText(route)} was pinned to nothing`,
    })
  },
}

/** `understudy revert` */
export const revert: Command = {
  name: 'revert',
  forms: ['<route> --reason <text>'],
  summary: 'undo the last change of a route, whatever else has changed since',
  options: OPTIONS,
  examples: ["understudy revert chat --reason 'that was worse'"],
  run(call) {
    const [route = ''] = wordsOf(call.args, 'revert', ['route'])
    return change(call, {
      path: '/revert',
      body: { route, ...changeFields(call, 'revert') },
      done: `${plainText(route)} is as it was before its last change`,
      ask: route,
      already: `${plainText(route)} is so already`,
    })
  },
}

/** `understudy restore` */
export const restore: Command = {
  name: 'restore',
  forms: ['<version> --reason <text>'],
  summary: 'make an earlier document live again, under a new version',
  details: ['It is the whole document, with all its routes; history shows the versions. For one route use revert.'],
  options: OPTIONS,
  examples: ["understudy restore 7 --reason 'back to what held on Monday'"],
  run(call) {
    const [text = ''] = wordsOf(call.args, 'restore', ['version'])
    const version = wholeNumber(text, '<version>', 'restore')
    return change(call, {
      path: '/restore',
      body: { version, ...changeFields(call, 'restore') },
      done: `the document of version ${version} is live again`,
      already: `the document of version ${version} is live already`,
    })
  },
}

async function change(call: Call, { path, body, done, already, ask }: Change): Promise<ExitCode> {
  const { screen, isJson } = call
  const client = openClient(call)
  const { value } = await withNearestName(client, () => client.post(path, body), { route: body['route'], preset: body['preset'] })
  const { version, previous_version: previous } = readAnswer(changeAnswer, value, client.shown)
  if (isJson) screen.json(value)
  else if (version === previous) screen.print(`${already}; nothing was changed (version ${version})`)
  else {
    const running = ask === undefined ? undefined : await runningWords(client, ask, version)
    screen.print(`${done} (version ${version}, before it ${previous})`, ...(running === undefined ? [] : [running]))
  }
  return EXIT.fine
}
