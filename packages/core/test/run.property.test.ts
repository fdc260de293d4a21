import type { CommitPoint, Leg, Part, PlanSettings, RunHealth, RunOutcome } from '@understudy/core'
import { failureOf, FAILURE_KINDS, healthOf, LegFailedError } from '@understudy/core'
import fc from 'fast-check'
import { getEventListeners } from 'node:events'
import t from 'tap'
import { arrival, end, finish, ping, scriptedLeg, start, text, type Script, type Step } from './scripted-leg.js'
import { createStage, type Play } from './stage.js'

const ms = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 200_000 }))
const failure = fc.record({
  kind: fc.constantFrom(...FAILURE_KINDS),
  retryAfterMs: fc.option(fc.integer({ min: 0, max: 9_000 }), { nil: undefined }),
})
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.constantFrom<Part>(start, text(''), text('x'), text('y', 1), finish, end, { type: 'finish', reason: 'length' }),
  failure.map(({ kind, ...rest }): Part => ({ type: 'error', failure: failureOf(kind, rest) })),
)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => arrival(...parts)),
  fc.constantFrom<Step>(ping, { parts: [], events: 1 }, { parts: [], events: 1, skipped: 1 }, 'connected'),
  ms.map((wait) => ({ wait })),
  fc.oneof({ weight: 3, arbitrary: failure.map(({ kind, ...rest }) => ({ fail: new LegFailedError(failureOf(kind, rest)) })) }, {
    weight: 1,
    arbitrary: fc.anything().map((fail) => ({ fail })),
  }),
)
const steps = fc.array(fc.oneof({ weight: 12, arbitrary: step }, { weight: 1, arbitrary: fc.constant<Step>('hang') }), { maxLength: 8 })
const limit = fc.option(ms, { nil: undefined })
const script = fc.record({
  open: fc.option(steps.map((all) => all.filter((one) => !(typeof one === 'object' && 'parts' in one))), { nil: undefined }),
  answer: steps,
  form: fc.constantFrom('none' as const, 'events' as const, 'json' as const),
  deaf: fc.boolean(),
  reasoning: fc.boolean(),
  wholeAnswers: fc.boolean(),
  retries: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  limits: fc.record({
    connectTimeoutMs: limit,
    firstContentTimeoutMs: limit,
    idleTimeoutMs: limit,
    timeoutMs: limit,
    maxStreamMs: limit,
    finishGraceMs: limit,
  }),
})
const refusal = fc.record({
  admitted: fc.constant(false as const),
  reason: fc.constantFrom('circuit_open' as const, 'cooldown' as const),
  retryAfterMs: fc.integer({ min: 1, max: 90_000 }),
  afterRateLimit: fc.boolean(),
})
/** What the health of legs says, question by question: nothing here has to make sense together. */
const moods = fc.record({
  seen: fc.array(fc.option(refusal, { nil: undefined, freq: 3 }), { maxLength: 4 }),
  met: fc.array(fc.record({ refusal: fc.option(refusal, { nil: undefined, freq: 3 }), later: fc.boolean() }), { maxLength: 8 }),
  refusesRetry: fc.boolean(),
})
const chain = fc.record({
  moods,
  plan: fc.record({
    order: fc.constantFrom('configured' as const, 'health' as const, 'weighted' as const, 'cost' as const),
    whenOpen: fc.constantFrom<PlanSettings['whenOpen']>('next', 'stop'),
    whenAllOpen: fc.constantFrom<PlanSettings['whenAllOpen']>('skip', 'try'),
  }),
  scripts: fc.array(script, { maxLength: 4 }),
  commit: fc.constantFrom<CommitPoint>('first_content', 'first_chunk', 'established', 'complete'),
  advanceOn: fc.constantFrom('leg_faults' as const, 'any' as const, 'retryable' as const, 'triggers' as const),
  limits: fc.record({
    deadlineMs: fc.option(fc.oneof(ms, fc.constant(false as const)), { nil: undefined }),
    windowMs: fc.option(fc.oneof(fc.constant(0), ms), { nil: undefined }),
    minAttemptMs: limit,
  }),
  retries: fc.integer({ min: 0, max: 2 }),
  stream: fc.boolean(),
  choices: fc.integer({ min: 1, max: 2 }),
  random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  leavesAt: fc.option(ms, { nil: undefined }),
  readsUpTo: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
})

function scriptOf(name: string, { open, ...rest }: typeof script extends fc.Arbitrary<infer T> ? T : never): Script {
  return open === undefined ? { name, ...rest } : { name, open, ...rest }
}

/** Health that says what it is told to, and counts what becomes of its permits. */
function moodyHealth({ seen, met, refusesRetry }: Chain['moods']) {
  const settled: number[] = []
  const admissions = met[Symbol.iterator]()
  const peeked = seen[Symbol.iterator]()
  const health: RunHealth = {
    peek() {
      const refusal = peeked.next().value
      return refusal === undefined ? { tier: 'closed', probeTurn: false } : { tier: 'out', ...refusal }
    },
    admit(_leg, { force = false } = {}) {
      const mood = admissions.next().value ?? { refusal: undefined, later: false }
      const said = mood.refusal === undefined || force ? permit() : mood.refusal
      return mood.later ? Promise.resolve(said) : said
    },
    refusesRetry: () => refusesRetry,
  }
  return { health, settled }

  function permit() {
    const place = settled.push(0) - 1
    return {
      admitted: true as const,
      probe: false,
      settle(failure: Parameters<typeof healthOf>[0] | undefined) {
        settled[place] = (settled[place] ?? 0) + 1
        return failure === undefined ? 'success' as const : healthOf(failure)
      },
    }
  }
}

type Chain = typeof chain extends fc.Arbitrary<infer T> ? T : never

/** Plays one chain until nothing can happen any more, and gives everything that anybody could see. */
async function playOut({ scripts, leavesAt, readsUpTo, retries, moods, stream, choices, random, ...rest }: Chain) {
  const stage = createStage()
  const { health, settled } = moodyHealth(moods)
  const { clock, log, say } = stage
  const controller = new AbortController()
  const { signal } = controller
  const events: string[] = []
  let inFlight = 0
  let most = 0
  const legs = scripts.map((script, index): Leg => {
    const leg = scriptedLeg(clock, say, scriptOf(`p${index}`, script))
    return {
      ...leg,
      open(request, context) {
        inFlight += 1
        most = Math.max(most, inFlight)
        context.signal.addEventListener('abort', settled, { once: true })
        const answer = leg.open(request, context)
        if (answer instanceof Promise) answer.catch(settled)
        return answer
        function settled(): void {
          context.signal.removeEventListener('abort', settled)
          inFlight = 0
        }
      },
    }
  })
  const play: Play = {
    ...rest,
    signal,
    request: { stream, choices },
    retry: { retries },
    health: () => health,
    random: () => random,
    onEvent: ({ type }) => events.push(type),
  }
  let outcome: RunOutcome | undefined
  let readTo = 0
  const reading = stage.play(legs, play).then(async (result) => {
    outcome = result
    if (result.type !== 'committed') return
    for (;;) {
      if (readTo === readsUpTo) {
        await result.arrivals.return?.()
        return
      }
      if ((await result.arrivals.next()).done === true) return
      readTo += 1
    }
  })
  if (leavesAt !== undefined) clock.schedule(leavesAt, () => controller.abort())
  await clock.drain()
  let isOver = false
  void reading.then(() => (isOver = true))
  await clock.drain()
  return { outcome, isOver, log, events, most, signal, settled, pending: clock.pending }
}

const count = (lines: readonly string[], pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length

t.test('whatever legs do and whatever the limits are', async (t) => {
  const unhandled: unknown[] = []
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', onUnhandled)
  let runs = 0
  await fc.assert(
    fc.asyncProperty(chain, async (input) => {
      runs += 1
      const { outcome, isOver, log, events, most, signal, settled, pending } = await playOut(input)
      // It ends, and leaves nothing.
      if (outcome === undefined || !isOver) throw new Error('the run hangs')
      if (pending !== 0) throw new Error('a timer is left')
      if (getEventListeners(signal, 'abort').length !== 0) throw new Error('a listener is left')
      if (count(log, / over /) !== 1) throw new Error('the end was not told exactly once')
      // Every attempt had a permit, and handed it back once: however the run ended.
      if (settled.some((times) => times !== 1)) throw new Error('a permit was not settled exactly once')
      if (settled.length !== count(events, /^attempt-start$/)) throw new Error('permits and attempts differ')
      // Never two at once, never one after the commit.
      if (most > 1) throw new Error('two attempts at once')
      const committedAt = log.findIndex((line) => line.endsWith(' commit'))
      if (committedAt !== -1 && log.slice(committedAt).some((line) => line.endsWith(' open'))) throw new Error('a leg after the commit')
      // The trail has a row for each attempt, and the events say the same.
      const attempts = outcome.trail.filter((row) => row.outcome !== 'skipped')
      if (count(events, /^attempt-start$/) !== attempts.length) throw new Error('rows and attempts differ')
      if (count(events, /^leg-skipped$/) !== outcome.trail.length - attempts.length) throw new Error('rows and skips differ')
      const opens = count(log, / open$/)
      if (opens !== attempts.length && outcome.type !== 'failed') throw new Error('a row without a call')
      const served = outcome.trail.filter((row) => row.outcome === 'served').length
      if (served !== (outcome.type === 'committed' ? 1 : 0)) throw new Error('the trail does not say who served')
      if (outcome.type === 'committed' && outcome.end() === undefined) throw new Error('a committed run without an end')
      // What was opened is closed, once.
      for (const [index] of input.scripts.entries()) {
        if (count(log, new RegExp(` p${index} close$`)) > count(log, new RegExp(` p${index} open$`))) throw new Error('closed twice')
      }
      if (committedAt !== -1) {
        const name = log[committedAt]?.split(' ')[1]
        if (count(log.slice(committedAt), new RegExp(` ${name} close$`)) !== 1) throw new Error('the answer was not closed once')
      }
    }),
    { numRuns: 2_000 },
  )
  process.off('unhandledRejection', onUnhandled)
  t.strictSame([runs >= 1_000, unhandled], [true, []])
})
