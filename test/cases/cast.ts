import type { Fallback, LiveSnapshot } from '@understudy/http'
import type { Step } from '@understudy/simulator'
import { differs, joined, type Round } from './check-answer.js'
import type { FakeLeg } from './fake-legs.js'
import { providerNameOf } from './fallback-input.js'
import { openConnection } from './raw-client.js'
import type { ReloadFile } from './reload-file.js'
import { openedBy } from './remembering.js'
import { playRound, requestOf, type Stage } from './rounds.js'
import type { RunRecord } from './run-record.js'

/** What a request outside the rounds has to come to. */
interface Wanted {
  /** Null: no leg. */
  readonly leg: string | null
  readonly status?: number
  /** Of the legs that are named. */
  readonly calls: Readonly<Record<string, number>>
}

/** What the acts of a case are played with. */
export interface Cast {
  readonly record: RunRecord
  readonly problems: readonly string[]
  readonly logs: readonly { readonly level: string, readonly text: string }[]
  /** The watched file, in a case that reloads. */
  readonly reloadFile: ReloadFile
  /** As the snapshot has it. */
  live(): LiveSnapshot
  /** Waits until it holds; that it did not in time is a problem. */
  until(label: string, ms: number, holds: () => boolean): Promise<void>
  /** As the snapshot has them, by leg. */
  readonly breakerStates: Readonly<Record<string, string | undefined>>
  leg(name: string): FakeLeg
  /** Sends one request and waits for its end; what did not come as wanted is a problem. */
  request(label: string, wanted: Wanted): Promise<Round>
  /** Sends one that is left on its way. Gives its id once the leg has it, and a way to leave. */
  leave(name: string): Promise<{ readonly id: string, readonly close: () => void }>
  expectState(label: string, states: Readonly<Record<string, string>>): void
  expect(label: string, holds: boolean): void
  /** Lets these legs fail until their breakers are open; then they play their own step again. */
  open(...names: readonly string[]): Promise<void>
  /** Until an open breaker is due for a probe. */
  waitUntilDue(name: string): Promise<void>
  /** When a leg that rests may be asked again, in ms since the epoch. */
  restsUntil(name: string): number | undefined
}

const failing: Step = { status: 500 }
const callWithinMs = 2_000

/** What the acts of a case have beside its stage. */
export interface Backstage {
  readonly fallback: Fallback
  readonly logs: readonly { readonly level: string, readonly text: string }[]
  readonly reloadFile: ReloadFile | undefined
}

export function createCast(stage: Stage, { fallback, logs, reloadFile }: Backstage): Cast {
  const { of, host, legs, record, key } = stage
  const problems: string[] = []
  let sent = 0

  const cast: Cast = {
    record,
    problems,
    logs,
    get reloadFile() {
      if (reloadFile === undefined) throw new Error(`${of.id} reloads nothing`)
      return reloadFile
    },
    live: () => {
      const { live } = fallback.snapshot()
      if (live === undefined) throw new Error(`${of.id} has no live chains`)
      return live
    },
    until: async (label, ms, holds) => {
      await until(ms, holds)
      note(label, holds() ? undefined : `not within ${ms} ms`)
    },
    get breakerStates() {
      return Object.fromEntries(legs.map(({ name }) => [name, breakerOf(name)?.state]))
    },
    leg: (name) => {
      const found = legs.find((leg) => leg.name === name)
      if (found === undefined) throw new Error(`${of.id} has no leg ${name}`)
      return found
    },
    request: async (label, { leg, status = 200, calls }) => {
      const round = await playRound(stage, nextId(), 0, true)
      const { answer } = round
      const served = legs.find(({ name }) =>
        answer.header('understudy-served')?.startsWith(`${providerNameOf(of, name)}/`))
      note(label, joined([
        differs('served by', served?.name ?? null, leg),
        differs('status', answer.status, status),
        differs('calls', Object.fromEntries(Object.keys(calls).map((name) => [name, round.calls?.[name]])), calls),
        answer.complete ? undefined : 'the answer was cut off',
      ]))
      return round
    },
    leave: async (name) => {
      const id = nextId()
      const before = cast.leg(name).received.length
      const { send, close } = openConnection(host.port)
      void send(requestOf(of, id, 0))
      await until(callWithinMs, () => cast.leg(name).received.length > before)
      note('a request that is left on its way', differs('calls', cast.leg(name).received.length - before, 1))
      return { id, close }
    },
    expectState: (label, states) => note(label, differs(
      'breakers',
      Object.fromEntries(Object.keys(states).map((name) => [name, breakerOf(name)?.state])),
      states,
    )),
    expect: (label, holds) => note(label, holds ? undefined : 'does not hold'),
    open: async (...names) => {
      for (const name of names) cast.leg(name).play(failing)
      for (let count = 0; count < openedBy; count += 1) await playRound(stage, nextId(), 0, true)
      for (const name of names) {
        cast.expectState('before', { [name]: 'open' })
        cast.leg(name).play()
      }
    },
    waitUntilDue: async (name) => {
      const openUntil = breakerOf(name)?.openUntil
      if (openUntil === undefined) throw new Error(`the breaker of ${name} is not open`)
      await waitUntil(openUntil)
    },
    restsUntil: (name) =>
      fallback.snapshot().cooldowns.find(({ provider }) => provider === providerNameOf(of, name))?.until,
  }
  return cast

  function nextId(): string {
    sent += 1
    return `act-${key}-${sent}`
  }

  function note(label: string, problem: string | undefined): void {
    if (problem !== undefined) problems.push(`${label}: ${problem}`)
  }

  function breakerOf(name: string) {
    return fallback.snapshot().breakers.find(({ provider }) => provider === providerNameOf(of, name))
  }
}

/** Until shortly behind a time of the snapshot, which is rounded. */
export async function waitUntil(epochMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, epochMs - Date.now() + 5))
}

async function until(ms: number, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + ms
  while (!holds() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
}
