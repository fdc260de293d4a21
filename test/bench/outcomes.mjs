import { answerOf, contentOf, dataOf } from './check.mjs'

const LIMIT_MS = 1000
const HUNG_MS = 6000

/** What leg 1 does, each in a way of its own; leg 2 is well. `mode` is one of the upstream's. */
export const faults = [
  { mode: 'error-500', title: '500' },
  { mode: 'reset', title: 'reset before its head' },
  { mode: 'error-in-200', title: 'error in a 200 stream' },
  { mode: 'json-error-in-200', title: 'JSON error in a 200' },
  { mode: 'end-before-content', title: 'ends before its first token' },
  { mode: 'stall', title: 'silent before its first token' },
  { mode: 'end-after-content', title: 'cut after some text' },
]

/**
 * What a client gets of a target for each fault of leg 1, in words. The target runs with a short limit on silence, so that one
 * that has no such limit can be told: it is `hung`.
 */
export async function checkOutcomes(bench, target) {
  const { upstream, direct } = bench
  const started = await bench.start(target, { limitMs: LIMIT_MS })
  try {
    await upstream.ask('play', ['burst', 'burst'])
    const whole = new Set()
    for (let count = 0; count < 8; count += 1) whole.add(contentOf(await answerOf(direct.port, true), true))
    // So that nothing is compiled, connected or looked up for the first time while a limit runs.
    await answerOf(started.port, true)
    const found = new Map()
    for (const { mode } of faults) {
      await upstream.ask('play', [mode, 'burst'])
      found.set(mode, await verdictOf(started.port, whole))
    }
    return found
  } finally {
    await started.stop()
  }
}

async function verdictOf(port, whole) {
  const from = performance.now()
  let answer
  try {
    answer = await answerOf(port, true, HUNG_MS)
  } catch {
    return performance.now() - from > HUNG_MS - 100 ? 'hung' : 'connection broken'
  }
  if (!answer.whole && performance.now() - from > HUNG_MS - 100) return 'hung'
  if (answer.status !== 200) return `failed with ${answer.status}`
  return judge(answer, whole)
}

/** A 200: whether it is the whole text of one leg, and if not, whether the client can tell. */
function judge(answer, whole) {
  const { events, broken } = eventsOf(answer.text)
  const text = events.map((data) => data.choices?.[0]?.delta?.content ?? '').join('')
  const done = answer.text.includes('[DONE]')
  const told = !answer.whole || broken || events.some((data) => data.error !== undefined) || hasError(answer.text)
  if (whole.has(text)) return done && !told ? 'answered' : 'answered, with a wrong end'
  if (text === '' && !answer.whole) return 'broken off in a 200'
  if (text === '') return told ? 'wrong: an error in a 200' : 'wrong: an empty answer'
  if (![...whole].some((one) => one.startsWith(text))) {
    return [...whole].some((one) => text.endsWith(one)) ? 'wrong: text doubled' : 'wrong: text altered'
  }
  if (!told) return 'truncated silently'
  return done ? 'truncated with an error, marked as done' : 'truncated with an error'
}

function eventsOf(text) {
  try {
    return { events: dataOf(text), broken: false }
  } catch {
    return { events: [], broken: true }
  }
}

/** An error that is no event: a JSON body. */
function hasError(text) {
  try {
    return JSON.parse(text).error !== undefined
  } catch {
    return false
  }
}
