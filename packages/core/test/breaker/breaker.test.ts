import type { Verdict } from '@understudy/core'
import fc from 'fast-check'
import t from 'tap'
import type { Admission, AdmissionTicket } from '../../src/breaker/admission.js'
import type { BreakerStatus } from '../../src/breaker/breaker.js'
import { createBreaker } from '../../src/breaker/breaker.js'
import type { BreakerOptions } from '../../src/breaker/breaker-settings.js'
import { breakerSettings } from '../../src/breaker/breaker-settings.js'

function settingsOf(options: BreakerOptions) {
  const settings = breakerSettings(options)
  if (settings === undefined) throw new Error('no breaker')
  return settings
}

/** A breaker with a clock of its own, told in what happens to it. */
function start(options: BreakerOptions = {}, random = 0.5) {
  const changes: string[] = []
  const onChange = ({ state, failures }: BreakerStatus): void => void changes.push(`${state} ${failures}`)
  const breaker = createBreaker(settingsOf(options), { random: () => random, onChange })
  let now = 1_000_000
  const admit = (): Admission => breaker.admit(now)
  function ticket(): AdmissionTicket {
    const admission = admit()
    if (!admission.admitted) throw new Error('refused')
    return admission.ticket
  }
  const settle = (held: AdmissionTicket, verdict: Verdict): void => breaker.settle(held, verdict, now)
  function results(...verdicts: readonly Verdict[]): void {
    for (const verdict of verdicts) settle(ticket(), verdict)
  }
  const after = (ms: number): void => void (now += ms)
  const state = (): string => breaker.status(now).state
  return { breaker, changes, admit, ticket, settle, results, after, state, now: () => now }
}

/** Three failures, and the time to the first probe. */
function opened(options: BreakerOptions = {}) {
  const it = start(options)
  it.results('charge', 'charge', 'charge')
  return it
}

function due(options: BreakerOptions = {}) {
  const it = opened(options)
  it.after(options.recoveryMs ?? 60_000)
  return it
}

t.test('opens at the third failure in a row, and not by three with a success among them', async (t) => {
  const { results, state, changes } = start()
  results('charge', 'charge', 'success', 'charge', 'charge')
  t.equal(state(), 'closed')
  results('charge')
  t.strictSame([state(), changes], ['open', ['open 3']])
})

t.test('what is neutral or rests its leg neither counts nor breaks a row of failures', async (t) => {
  const { results, state } = start()
  results('charge', 'neutral', 'charge', 'cooldown')
  t.equal(state(), 'closed')
  results('charge')
  t.equal(state(), 'open')
})

t.test('an open one refuses until its time is up, and says how long that is', async (t) => {
  const { admit, after } = opened()
  t.strictSame(admit(), { admitted: false, reason: 'circuit_open', retryAfterMs: 60_000 })
  after(59_999)
  t.strictSame(admit(), { admitted: false, reason: 'circuit_open', retryAfterMs: 1 })
  after(1)
  t.match(admit(), { admitted: true, ticket: { probe: true } })
})

t.test('its time varies by a fifth to either side', async (t) => {
  for (const [random, waitMs] of [[0, 48_000], [0.25, 54_000], [0.75, 66_000]] as const) {
    const { results, breaker, now } = start({}, random)
    results('charge', 'charge', 'charge')
    t.match(breaker.status(now()), { state: 'open', dueInMs: waitMs })
  }
})

t.test('of many that ask at once one is the probe, and the rest are told to go on', async (t) => {
  const { admit, changes } = due()
  const admissions = Array.from({ length: 50 }, admit)
  t.equal(admissions.filter(({ admitted }) => admitted).length, 1)
  t.strictSame(admissions[49], { admitted: false, reason: 'circuit_open', retryAfterMs: 1_000 })
  t.strictSame(changes, ['open 3', 'half-open 3'])
})

t.test('closes after two probes that ended well', async (t) => {
  const { results, state, changes, ticket } = due()
  results('success')
  t.equal(state(), 'half-open')
  results('success')
  t.equal(state(), 'closed')
  t.strictSame(changes, ['open 3', 'half-open 3', 'closed 0'])
  t.equal(ticket().probe, false)
})

t.test('one failed probe opens it again, for its whole time', async (t) => {
  const { results, state, admit, changes } = due()
  results('success', 'charge')
  t.equal(state(), 'open')
  t.match(admit(), { admitted: false, retryAfterMs: 60_000 })
  t.strictSame(changes, ['open 3', 'half-open 3', 'open 4'])
})

t.test('after it opened again, two more probes are needed', async (t) => {
  const { results, state, after } = due()
  results('success', 'charge')
  after(60_000)
  results('success')
  t.equal(state(), 'half-open')
})

t.test('neutral ends free the slot and count for nothing', async (t) => {
  const { results, state, ticket } = due()
  results('neutral', 'cooldown', 'neutral', 'success', 'neutral')
  t.equal(state(), 'half-open')
  t.equal(ticket().probe, true)
})

t.test('a probe that never ends gives its slot back after the recovery time', async (t) => {
  const { admit, after, ticket } = due()
  ticket()
  after(59_999)
  t.equal(admit().admitted, false)
  after(1)
  t.equal(ticket().probe, true)
})

t.test('a slot is leased for one second at least', async (t) => {
  const { admit, after, ticket } = due({ recoveryMs: 10 })
  ticket()
  after(999)
  t.strictSame(admit(), { admitted: false, reason: 'circuit_open', retryAfterMs: 1 })
  after(1)
  t.equal(ticket().probe, true)
})

t.test('a probe longer than its lease still tells of its episode, and frees no slot but its own', async (t) => {
  const { admit, after, ticket, settle, state } = due()
  const long = ticket()
  after(60_000)
  const second = ticket()
  settle(long, 'success')
  t.equal(admit().admitted, false, 'the second one holds the slot')
  settle(second, 'success')
  t.equal(state(), 'closed')
})

t.test('late results of an earlier episode change nothing', async (t) => {
  const { ticket, settle, after, results, state, breaker, now } = start()
  const early = [ticket(), ticket(), ticket(), ticket(), ticket(), ticket()]
  const [success, failure, again, ...rest] = early
  results('charge', 'charge', 'charge')
  settle(failure!, 'charge')
  t.match(breaker.status(now()), { state: 'open', failures: 3, dueInMs: 60_000 })
  after(60_000)
  const probe = ticket()
  settle(again!, 'charge')
  settle(success!, 'success')
  t.equal(state(), 'half-open')
  settle(probe, 'success')
  results('success')
  for (const late of rest) settle(late, 'charge')
  t.match(breaker.status(now()), { state: 'closed', failures: 0 })
})

t.test('a late probe moves no later half-open', async (t) => {
  const { ticket, settle, after, state, results } = due()
  const late = ticket()
  after(60_000)
  results('charge')
  after(60_000)
  const probe = ticket()
  settle(late, 'success')
  settle(late, 'charge')
  settle(probe, 'success')
  t.equal(state(), 'half-open', 'one success is not two')
})

t.test('a look takes no slot', async (t) => {
  const { breaker, now, after, ticket } = opened()
  t.strictSame(breaker.peek(now()), { tier: 'out', retryAfterMs: 60_000 })
  after(60_000)
  for (let index = 0; index < 3; index += 1) t.strictSame(breaker.peek(now()), { tier: 'due', probeTurn: true })
  const probe = ticket()
  t.strictSame(breaker.peek(now()), { tier: 'out', retryAfterMs: 1_000 })
  breaker.settle(probe, 'success', now())
  t.strictSame(breaker.peek(now()), { tier: 'half-open', probeTurn: false })
  after(60_000)
  t.strictSame(breaker.peek(now()), { tier: 'half-open', probeTurn: true })
  breaker.settle(ticket(), 'success', now())
  t.strictSame(breaker.peek(now()), { tier: 'closed' })
})

t.test('an attempt that was forced through an open breaker moves nothing, not even later', async (t) => {
  const { breaker, now, after, ticket, settle, state } = opened()
  const forced = breaker.force()
  settle(forced, 'success')
  settle(forced, 'charge')
  t.match(breaker.status(now()), { state: 'open', failures: 3 })
  after(60_000)
  const probe = ticket()
  settle(forced, 'success')
  settle(forced, 'charge')
  settle(probe, 'success')
  t.equal(state(), 'half-open')
})

t.test('an attempt that was forced beside a probe moves nothing either', async (t) => {
  const { breaker, ticket, settle, state } = due()
  const probe = ticket()
  const forced = breaker.force()
  settle(forced, 'success')
  settle(forced, 'charge')
  t.equal(state(), 'half-open')
  settle(probe, 'success')
  t.equal(state(), 'half-open')
})

t.test('says where it stands, without any clock\'s zero in it', async (t) => {
  const { breaker, now, after, ticket, settle } = start()
  const status = () => breaker.status(now())
  t.strictSame(status(), { state: 'closed', episode: 0, failures: 0 })
  for (let index = 0; index < 3; index += 1) settle(ticket(), 'charge')
  t.strictSame(status(), { state: 'open', episode: 1, failures: 3, dueInMs: 60_000 })
  after(70_000)
  t.strictSame(status(), { state: 'open', episode: 1, failures: 3, dueInMs: 0 })
  const first = ticket()
  after(20_000)
  const halfOpen = { state: 'half-open', episode: 2, failures: 3, successes: 0 }
  t.strictSame(status(), { ...halfOpen, probe: { lease: 1, leftMs: 40_000 } })
  after(39_999)
  t.match(status(), { probe: { leftMs: 1 } })
  after(1)
  t.strictSame(status(), { ...halfOpen, probe: undefined })
  settle(first, 'success')
  const second = ticket()
  t.strictSame(status(), { ...halfOpen, successes: 1, probe: { lease: 2, leftMs: 60_000 } })
  settle(second, 'success')
  t.strictSame(status(), { state: 'closed', episode: 3, failures: 0 })
})

t.test('opens by the share of failures where that is the rule, and starts it afresh when it closes', async (t) => {
  const { results, state, after } = start({ ratio: { threshold: 0.5, windowMs: 10_000, minimumCalls: 4 } })
  results('charge', 'success', 'charge')
  t.equal(state(), 'closed')
  results('success', 'charge')
  t.equal(state(), 'open')
  after(60_000)
  results('success', 'success', 'charge', 'charge', 'charge')
  t.equal(state(), 'closed')
})

t.test('other settings keep the state', async (t) => {
  const { breaker, results, state, ticket, settle, after } = opened()
  breaker.configure(settingsOf({ recoveryMs: 5_000, successThreshold: 1 }))
  t.equal(state(), 'open')
  after(60_000)
  settle(ticket(), 'success')
  t.equal(state(), 'closed')
  breaker.configure(settingsOf({ failureThreshold: 1 }))
  results('charge')
  t.equal(state(), 'open')
})

t.test('the same settings keep what was counted', async (t) => {
  const { breaker, results, state } = start()
  results('charge', 'charge')
  breaker.configure(settingsOf({}))
  results('charge')
  t.equal(state(), 'open')
})

t.test('takes over what another process knows, and goes on from there', async (t) => {
  const { breaker, now, after, ticket, settle, changes, admit } = start()
  breaker.adopt({ state: 'open', episode: 7, failures: 5, dueInMs: 300 }, now())
  t.strictSame(admit(), { admitted: false, reason: 'circuit_open', retryAfterMs: 300 })
  after(300)
  const own = ticket()
  breaker.adopt({ state: 'half-open', episode: 8, failures: 5, successes: 1, probe: { lease: 40, leftMs: 700 } }, now())
  t.strictSame(breaker.peek(now()), { tier: 'out', retryAfterMs: 700 })
  after(700)
  const next = ticket()
  t.strictSame(next, { probe: true, episode: 8, lease: 41 })
  settle(own, 'neutral')
  t.equal(admit().admitted, false, 'another process gave the slot away since')
  settle(next, 'success')
  breaker.adopt({ state: 'closed', episode: 9, failures: 0 }, now())
  t.strictSame(changes, ['open 5', 'half-open 5', 'closed 0'])
})

t.test('told of a wait longer than any of its own, it waits as long as it would by itself', async (t) => {
  const { breaker, now, after, admit } = start({ recoveryMs: 10_000, jitter: 0.2 })
  breaker.adopt({ state: 'open', episode: 7, failures: 5, dueInMs: 2_000_000_000 }, now())
  t.match(admit(), { admitted: false, retryAfterMs: 12_000 })
  breaker.adopt({ state: 'half-open', episode: 8, failures: 5, successes: 0, probe: { lease: 4, leftMs: 2_000_000_000 } }, now())
  after(9_999)
  t.equal(admit().admitted, false)
  after(1)
  t.match(admit(), { admitted: true, ticket: { probe: true } })
})

t.test('told that it is closed, it starts afresh', async (t) => {
  const { breaker, now, results, state, changes } = opened()
  breaker.adopt({ state: 'closed', episode: 9, failures: 2 }, now())
  results('charge', 'charge')
  breaker.adopt({ state: 'closed', episode: 11, failures: 0 }, now())
  results('charge', 'charge')
  t.equal(state(), 'closed')
  results('charge')
  t.strictSame(changes, ['open 3', 'closed 0', 'open 3'], 'what nobody here saw is no change')
})

t.test('told of a probe elsewhere, it needs none of its own for a while; told of none, at once', async (t) => {
  const { breaker, now, after } = opened()
  const halfOpen = { state: 'half-open', episode: 2, failures: 3, successes: 0 } as const
  breaker.adopt(halfOpen, now())
  t.strictSame(breaker.peek(now()), { tier: 'half-open', probeTurn: true })
  breaker.adopt({ ...halfOpen, probe: { lease: 1, leftMs: 500 } }, now())
  t.strictSame(breaker.peek(now()), { tier: 'out', retryAfterMs: 500 })
  after(500)
  t.strictSame(breaker.peek(now()), { tier: 'half-open', probeTurn: false })
  breaker.adopt({ ...halfOpen, successes: 1 }, now())
  t.strictSame(breaker.peek(now()), { tier: 'half-open', probeTurn: false })
})

t.test('what it is told of an episode that it knows keeps what it counted', async (t) => {
  const { breaker, now, results, changes } = start()
  results('charge', 'charge')
  breaker.adopt({ state: 'closed', episode: 0, failures: 1 }, now())
  results('charge')
  t.strictSame(changes, ['open 3'])
})

type Step =
  | { readonly type: 'admit' }
  | { readonly type: 'look' }
  | { readonly type: 'settle'; readonly which: number; readonly verdict: Verdict }
  | { readonly type: 'wait'; readonly ms: number }

interface Held {
  readonly ticket: AdmissionTicket
  readonly episode: number
  readonly probe: boolean
  readonly until: number
}

/** The words of the specification, with lists instead of cleverness. */
function reference(waitMs: number, leaseMs: number, failureThreshold: number, successThreshold: number) {
  let state: 'closed' | 'open' | 'half-open' = 'closed'
  let episode = 0
  let row: Verdict[] = []
  let good = 0
  let dueAt = 0
  let slot: Held | undefined

  function to(next: typeof state): void {
    state = next
    episode += 1
    row = []
    good = 0
    slot = undefined
  }
  return {
    state: () => state,
    mayAsk: (now: number): boolean =>
      state === 'closed' || (state === 'open' ? now >= dueAt : slot === undefined || now >= slot.until),
    take(now: number, ticket: AdmissionTicket): Held {
      if (state === 'open') to('half-open')
      const held = { ticket, episode, probe: state === 'half-open', until: now + leaseMs }
      if (held.probe) slot = held
      return held
    },
    result(held: Held, verdict: Verdict, now: number): void {
      if (held.episode !== episode || state === 'open') return
      if (slot === held) slot = undefined
      if (verdict === 'neutral' || verdict === 'cooldown') return
      if (state === 'half-open' && verdict === 'success') {
        good += 1
        if (good >= successThreshold) to('closed')
        return
      }
      row = verdict === 'success' ? [] : [...row, verdict]
      if (state === 'half-open' || row.length >= failureThreshold) {
        to('open')
        dueAt = now + waitMs
      }
    },
  }
}

const RECOVERY_MS = 2_000
const threshold = fc.integer({ min: 1, max: 3 })

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant<Step>({ type: 'admit' }) },
    { weight: 1, arbitrary: fc.constant<Step>({ type: 'look' }) },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('settle' as const),
        which: fc.nat(),
        verdict: fc.constantFrom<Verdict>('charge', 'charge', 'success', 'neutral', 'cooldown'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('wait' as const),
        ms: fc.oneof(fc.nat(RECOVERY_MS * 2), fc.constantFrom(RECOVERY_MS, 1)),
      }),
    },
  ),
  { maxLength: 80, size: 'max' },
)

t.test('does what the words say, whatever comes in whatever order', async (t) => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(steps, fc.constantFrom(0, 0.5, 0.9), threshold, threshold, (all, random, failureThreshold, successThreshold) => {
      const settings = settingsOf({ recoveryMs: RECOVERY_MS, failureThreshold, successThreshold })
      const breaker = createBreaker(settings, { random: () => random })
      const waitMs = RECOVERY_MS * (1 + 0.2 * (2 * random - 1))
      const model = reference(waitMs, RECOVERY_MS, failureThreshold, successThreshold)
      const out: Held[] = []
      let now = 0

      for (const step of all) {
        if (step.type === 'wait') now += step.ms
        if (step.type === 'settle' && out.length > 0) {
          const [held] = out.splice(step.which % out.length, 1)
          breaker.settle(held!.ticket, step.verdict, now)
          model.result(held!, step.verdict, now)
        }
        const may = model.mayAsk(now)
        if ((breaker.peek(now).tier !== 'out') !== may) throw new Error('a look says otherwise')
        if (step.type === 'admit') {
          const admission = breaker.admit(now)
          if (admission.admitted !== may) throw new Error(`admitted: ${admission.admitted}`)
          if (admission.admitted) {
            const held = model.take(now, admission.ticket)
            if (held.probe !== admission.ticket.probe) throw new Error('a probe that is none')
            const others = out.filter(({ probe, episode, until }) => probe && episode === held.episode && until > now)
            if (held.probe && others.length > 0) throw new Error('two probes at once')
            out.push(held)
          } else if (!(admission.retryAfterMs > 0)) throw new Error('nothing to wait for')
        }
        seen.add(breaker.status(now).state)
        if (breaker.status(now).state !== model.state()) throw new Error(`${breaker.status(now).state}, not ${model.state()}`)
      }
      // Whatever was never settled: after a lease and a recovery somebody is let in.
      if (!breaker.admit(now + RECOVERY_MS * 1.2).admitted) throw new Error('a slot leaked')
    }),
    { numRuns: 10_000 },
  )
  t.strictSame([...seen].sort(), ['closed', 'half-open', 'open'])
})
