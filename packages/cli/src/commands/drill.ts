import { suggestName } from '@understudy/config'
import { z } from 'zod'
import { changeAuthor } from '../change-author.js'
import { CliError } from '../cli-error.js'
import type { Call, Command } from '../command.js'
import { drillWords } from '../drill-words.js'
import { EXIT, type ExitCode } from '../exit-code.js'
import { openClient, optionalDuration } from '../open-client.js'
import { readAnswer } from '../read-answer.js'
import { required, wholeNumber, wordsOf } from '../read-arguments.js'
import { readShare } from '../read-share.js'
import { ASKING, CHANGING, EVERYWHERE } from '../shared-options.js'
import { drillAnswer } from '../status/status-answer.js'
import { plainText } from '../text-width.js'
import { withNearestName } from '../with-nearest-name.js'

const LONGEST_MS = 3_600_000
const MOST_REQUESTS = 10_000

const FAULTS = ['fail', 'cut', 'stall', 'corrupt']

/** `understudy drill` */
export const drill: Command = {
  name: 'drill',
  forms: [
    '<route> --fault <fault> (--share <part> | --signed) --for <time> --max <requests> --reason <text> [--leg <leg>]',
    'list',
    'end <id> --reason <text>',
  ],
  summary: 'fail a leg on purpose, for a bounded time and number of requests',
  details: [
    'fail: before the call. cut, stall, corrupt: in the stream of the real answer. It ends by itself, and is seen in trails, events and on the page.',
  ],
  options: [
    { name: 'fault', value: '<fault>', help: FAULTS.join(', ') },
    { name: 'leg', value: '<provider/model>', help: 'which leg; default the first' },
    { name: 'share', value: '<part>', help: 'of the requests of the route: 5% or 0.05' },
    { name: 'signed', help: 'only the requests that are signed for it' },
    { name: 'for', value: '<time>', help: 'when it ends by itself: 90s, 15m; at most 1h' },
    { name: 'max', value: '<requests>', help: 'after how many requests it ends by itself; at most 10000' },
    ...CHANGING,
    ...ASKING,
    ...EVERYWHERE,
  ],
  examples: [
    "understudy drill chat --fault cut --share 5% --for 15m --max 200 --reason 'game day'",
    'understudy drill list',
    "understudy drill end drill-3f2a --reason 'seen enough'",
  ],
  run(call) {
    const [first] = call.args.words
    if (first === 'end') return endDrill(call)
    return first === 'list' ? listDrills(call) : startDrill(call)
  },
}

async function startDrill(call: Call): Promise<ExitCode> {
  const { args } = call
  const [route = ''] = wordsOf(args, 'drill', ['route'])
  const fault = required(args, 'drill', 'fault', `it is one of ${FAULTS.join(', ')}`)
  if (!FAULTS.includes(fault)) throw wrong(`--fault: there is no '${plainText(fault)}'; ${suggestName(fault, FAULTS)}`)
  const share = args.text('share')
  const isSigned = args.isGiven('signed')
  if ((share === undefined) !== isSigned) throw wrong('say which requests: --share 5%, or --signed, and not both')
  const which = share === undefined ? { signed: true } : { share: readShare(share) }
  const forMs = optionalDuration(required(args, 'drill', 'for', 'a drill ends by itself: --for 15m'), '--for')
  if (forMs !== undefined && forMs > LONGEST_MS) throw wrong('--for: a drill lasts at most 1h')
  const most = wholeNumber(required(args, 'drill', 'max', 'a drill is bounded in number too: --max 200'), '--max', 'drill')
  if (most > MOST_REQUESTS) throw wrong(`--max: a drill fails at most ${MOST_REQUESTS} requests`)
  const leg = args.text('leg')
  const body = { route, ...(leg !== undefined && { leg }), fault, ...which, for_ms: forMs, max_requests: most, ...changeAuthor(call, 'drill') }
  const client = openClient(call)
  const { value, at } = await withNearestName(client, () => client.post('/drills', body), { route })
  const started = readAnswer(drillAnswer, value, client.shown)
  if (call.isJson) call.screen.json(value)
  else {
    const { id, header } = started
    call.screen.print(drillWords(started, at))
    if (header != null) call.screen.print(`it fails requests with this header: understudy-drill: ${plainText(header)}`)
    call.screen.print(`end it before its time: understudy drill end ${plainText(id)} --reason '...'`)
  }
  return EXIT.fine
}

async function listDrills(call: Call): Promise<ExitCode> {
  wordsOf(call.args, 'drill', ['list'])
  const client = openClient(call)
  const { value, at } = await client.get('/drills')
  const { drills } = readAnswer(z.looseObject({ drills: z.array(drillAnswer) }), value, client.shown)
  if (call.isJson) call.screen.json(value)
  else call.screen.print(...(drills.length === 0 ? ['no drill is on'] : drills.map((one) => drillWords(one, at))))
  return EXIT.fine
}

async function endDrill(call: Call): Promise<ExitCode> {
  const [, id = ''] = wordsOf(call.args, 'drill', ['end', 'id'])
  const client = openClient(call)
  const { value } = await client.post('/drills/end', { id, ...changeAuthor(call, 'drill') })
  if (call.isJson) call.screen.json(value)
  else call.screen.print(`${plainText(id)} is over`)
  return EXIT.fine
}

function wrong(message: string): CliError {
  return new CliError(EXIT.wrongUse, message, { code: 'wrong_use', usageOf: 'drill' })
}
