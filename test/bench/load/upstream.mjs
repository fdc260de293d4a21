// The provider: raw sockets and bytes made beforehand, on two ports, one for each leg.
import { createServer } from 'node:net'
import { answerCommands } from '../process/control.mjs'
import { createHeldStreams } from './held-streams.mjs'
import { createMessageReader } from './message-reader.mjs'
import * as answers from './answers.mjs'
import { anthropic, gemini } from './foreign-answers.mjs'

const FIRST_TOKEN_MS = 2
const REST_MS = 1

const held = createHeldStreams()
let turn = 0

const whole = (bytes) => (socket) => socket.write(bytes[turn % bytes.length])

const firstToken = ({ opening, dwellEvent, singleEvents, ending }) => (socket) => {
  const id = turn % 8
  const from = process.hrtime.bigint()
  socket.write(opening[id])
  setTimeout(() => {
    const dwell = Number((process.hrtime.bigint() - from) / 1000n)
    socket.write(dwellEvent(id, dwell))
    setTimeout(() => socket.write(Buffer.concat([...singleEvents.slice(0, 4), ending[id]])), REST_MS)
  }, FIRST_TOKEN_MS)
}

const hold = ({ opening, firstContent, singleEvents, ending }) => (socket) => {
  const id = turn % 8
  socket.write(Buffer.concat([opening[id], firstContent[id]]))
  held.add(socket, { events: singleEvents, ending: ending[id] })
}

/** What a provider of each dialect does, by the names of OpenAI's with the dialect before them. */
const modesOf = (dialect, prefix = '') => ({
  [`${prefix}json-1k`]: whole(dialect.json1k),
  [`${prefix}burst`]: whole(dialect.burst),
  [`${prefix}first-token`]: firstToken(dialect),
  [`${prefix}held`]: hold(dialect),
})

const modes = {
  ...modesOf(answers.openai),
  ...modesOf(anthropic, 'anthropic '),
  ...modesOf(gemini, 'gemini '),
  'json-64k': whole(answers.json64k),
  'error-500': whole(answers.error500),
  'error-in-200': whole(answers.errorIn200),
  'json-error-in-200': whole(answers.jsonErrorIn200),
  reset: (socket) => socket.resetAndDestroy(),
  // Its head and the role opener, and then nothing.
  stall: (socket) => socket.write(answers.openai.opening[turn % 8]),
  'end-before-content': whole(answers.endBeforeContent),
  'end-after-content': whole(answers.endAfterContent),
}

for (const size of answers.SIZED_BURSTS.keys()) modes[`burst-${size}`] = whole(answers.sizedBurst(size))

function listen(leg) {
  const server = createServer({ noDelay: true }, (socket) => {
    const read = createMessageReader({
      onEnd: () => {
        turn += 1
        leg.asked += 1
        leg.answer(socket)
      },
    })
    socket.on('data', read)
    socket.on('error', () => socket.destroy())
  })
  return new Promise((resolve) => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => resolve(server.address().port)))
}

const legs = [0, 1].map(() => ({ answer: modes['json-1k'], asked: 0 }))
const ports = await Promise.all(legs.map(listen))

answerCommands({
  ports: () => ports,
  // What each leg answers from now on.
  play: (names) => names.forEach((name, index) => { legs[index].answer = modes[name] }),
  // How often each leg was asked so far.
  asked: () => legs.map(({ asked }) => asked),
  pace: (options) => held.pace(options),
  release: () => held.release(),
})
