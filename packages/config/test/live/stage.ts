import { createLiveChains } from '@understudy/config'
import type { ChainSource, KnownChains, LiveChains, ResolvedConfig, SourceReading } from '@understudy/config'
import type { ChainEvent } from '@understudy/core'

import { createFakeClock } from '../../../../test/kit/fake-clock.js'
import type { FakeClock } from '../../../../test/kit/fake-clock.js'
import { resolve } from '../resolve.js'

export const EPOCH = Date.UTC(2030, 0, 31, 2)
export const HOUR = 3_600_000

export const ROUTES = {
  chat: { presets: { normal: ['openai/a', 'groq/b'], local_only: { legs: ['groq/b'], marking: 'degraded' }, second: ['groq/b', 'openai/a'] } },
  plain: ['openai/p'],
}

/** What a source does next. A document stays until there is another one. */
export type Answer = SourceReading | Error | 'hang'

export interface FakeSource extends ChainSource {
  answer: Answer
  readonly reads: { readonly etag: string | undefined; readonly signal: AbortSignal }[]
  readonly push: () => void
  readonly pushes: () => number
  readonly closes: () => number
}

export function fakeSource(answer: Answer = { type: 'none' }): FakeSource {
  const listeners = new Set<() => void>()
  let closes = 0
  const source: FakeSource = {
    name: 'fake',
    answer,
    reads: [],
    read: ({ etag, signal }) => {
      source.reads.push({ etag, signal })
      const { answer: next } = source
      if (next === 'hang') return new Promise(() => undefined)
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
    },
    watch: (changed) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
    push: () => {
      for (const listener of listeners) listener()
    },
    pushes: () => listeners.size,
    close: () => {
      closes += 1
      return Promise.resolve()
    },
    closes: () => closes,
  }
  return source
}

export interface Stage {
  readonly live: LiveChains
  readonly source: FakeSource
  readonly clock: FakeClock
  readonly known: KnownChains
  /** What was told, in order: log lines and events. */
  readonly told: string[]
  readonly events: ChainEvent[]
  /** The chains after each swap: `chat: a b`. */
  readonly swaps: string[]
  /** Sets the wall clock. It goes with the clock otherwise. */
  readonly setWall: (at: number) => void
  readonly wall: () => number
  /** What a route runs: `a b (normal)`. */
  readonly runs: (route?: string) => string
}

export interface StageOptions {
  readonly source?: FakeSource
  readonly lastKnownGood?: string | undefined
  readonly routes?: unknown
  readonly options?: object
  readonly random?: () => number
  readonly wallAt?: number
  readonly pollMs?: number
}

/** Live chains on clocks that a test moves, begun already. */
export function stage({ source = fakeSource(), lastKnownGood, routes = ROUTES, options = {}, random = () => 0.5, wallAt = EPOCH, pollMs = 5_000 }: StageOptions = {}): Stage {
  const clock = createFakeClock()
  let offset = wallAt
  const wall = (): number => offset + clock.now()
  const config: ResolvedConfig = resolve(routes, { chains: { source, lastKnownGood, pollMs }, ...options })
  const told: string[] = []
  const events: ChainEvent[] = []
  const swaps: string[] = []
  if (config.live === undefined) throw new Error('there are no live chains')
  const say = (level: string) => (code: string, message: string): void => void told.push(`${level} ${code}: ${message}`)
  const live = createLiveChains(config.known, config.live, {
    clock,
    random,
    wallClock: wall,
    warn: say('warn'),
    error: say('error'),
    info: (message) => void told.push(`info ${message}`),
    emit: (event) => {
      events.push(event)
      told.push(`event ${event.type}`)
    },
    onRoutes: (next) => void swaps.push([...next.values()].map(shown).join('; ')),
  })
  live.start()
  return {
    live, source, clock, told, events, swaps, wall,
    known: config.known,
    setWall: (at) => void (offset = at - clock.now()),
    runs: (name = 'chat') => {
      const route = live.running().routes.get(name)
      return route === undefined ? 'nothing' : shown(route).slice(name.length + 2)
    },
  }
}

function shown({ name, legs, preset, marking }: { readonly name: string; readonly legs: readonly object[]; readonly preset?: string | undefined; readonly marking?: string | undefined }): string {
  const models = legs.map((leg) => ('model' in leg ? String(leg.model) : 'custom')).join(' ')
  return `${name}: ${models}${preset === undefined ? '' : ` (${preset})`}${marking === undefined ? '' : ` [${marking}]`}`
}

/** A document of these routes. */
export function document(version: number, routes: object, more: object = {}): SourceReading {
  return { type: 'document', document: { version, updated_by: 'ann', reason: `change ${version}`, routes, ...more } }
}

/** One chain for the route `chat`. */
export function chain(version: number, ...legs: readonly unknown[]): SourceReading {
  return document(version, { chat: { chain: legs } })
}

/** A preset of the code for the route `chat`. */
export function active(version: number, preset: string, more: object = {}, about: object = {}): SourceReading {
  return document(version, { chat: { active: preset, ...more } }, about)
}
