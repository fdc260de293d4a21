import type { FallbackEvent } from '@understudy/http'

/** What went through a route. */
export interface RouteCounts {
  /** Runs that are over. */
  runs: number
  /** Moves from one leg to the next. */
  failovers: number
  /** Runs that no leg served. */
  failed: number
}

/** What a leg was asked by the runs of one route. */
export interface LegCounts {
  readonly route: string
  /** `provider/model` */
  readonly leg: string
  attempts: number
  failures: number
  /** How often a run moved on from it. */
  failovers: number
}

/** What is counted in one minute, or since the start. */
export interface TrafficCounts {
  readonly routes: ReadonlyMap<string, Readonly<RouteCounts>>
  readonly legs: readonly Readonly<LegCounts>[]
}

/** Counts of one minute. */
export interface TrafficMinute extends TrafficCounts {
  /** When it began. Milliseconds since the epoch. */
  readonly at: number
}

/** What went through a `Fallback` since it is watched, and in each minute of the last hour. */
export interface Traffic {
  readonly hear: (event: FallbackEvent) => void
  readonly total: () => TrafficCounts
  /** Oldest first; minutes without traffic are left out. */
  readonly minutes: () => readonly TrafficMinute[]
  /** What happened to chains, breakers and drills lately, oldest first. */
  readonly happened: () => readonly FallbackEvent[]
}

type IsKnown = (key: string) => boolean

type Counted = Extract<FallbackEvent, { readonly type: 'run-end' | 'failover' | 'attempt-start' | 'attempt-failure' }>

interface Counting {
  readonly at: number
  readonly routes: Map<string, RouteCounts>
  readonly asked: Map<string, LegCounts>
}

const MINUTE_MS = 60_000
const MINUTES_KEPT = 60
const EVENTS_KEPT = 100
/** A leg that takes any model would let requests make as many names as they like. Those of the chains are counted however many there are. */
const MOST_NAMES = 200

/** The legs that a route runs. */
export interface RouteLegs {
  readonly name: string
  readonly legs: readonly { readonly provider: string; readonly model: string }[]
}

/** What a person on call wants to see again; the rest is counted. */
const KEPT: ReadonlySet<FallbackEvent['type']> = new Set<FallbackEvent['type']>([
  'breaker-open', 'breaker-closed', 'leg-misconfigured', 'chain-applied', 'chain-rejected', 'chain-reverted', 'pin-active-long', 'pin-expiring',
  'pin-expired', 'drill-start', 'drill-end',
])

/** Makes the counts. `now` gives milliseconds since the epoch, `routesNow` what the routes run. */
export function createTraffic(now: () => number, routesNow: () => readonly RouteLegs[]): Traffic {
  const total = counting(now())
  let known: ReadonlySet<string> | undefined
  let minutes: readonly Counting[] = []
  let happened: readonly FallbackEvent[] = []

  return {
    hear(event) {
      if (KEPT.has(event.type)) happened = [...happened, event].slice(-EVENTS_KEPT)
      if (event.type === 'chain-applied' || event.type === 'chain-reverted') known = undefined
      if (event.type !== 'run-end' && event.type !== 'failover' && event.type !== 'attempt-start' && event.type !== 'attempt-failure') return
      count(total, event, isKnown)
      count(minuteOf(event.at), event, isKnown)
    },
    total: () => countsOf(total),
    minutes: () => minutes.filter(isRecent).map((minute) => ({ at: minute.at, ...countsOf(minute) })),
    happened: () => happened,
  }

  function minuteOf(at: number): Counting {
    const start = Math.floor(at / MINUTE_MS) * MINUTE_MS
    // What a clock counted that was set back since is no time that was.
    minutes = minutes.filter((minute) => minute.at <= start + MINUTE_MS)
    const last = minutes.at(-1)
    // One that goes back a little is no new minute.
    if (last !== undefined && start <= last.at) return last
    const made = counting(start)
    minutes = [...minutes.filter(isRecent), made]
    return made
  }

  function isRecent({ at }: Counting): boolean {
    return at > now() - MINUTES_KEPT * MINUTE_MS && at <= now() + MINUTE_MS
  }

  function isKnown(key: string): boolean {
    known ??= new Set(routesNow().flatMap(({ name, legs }) => legs.map(({ provider, model }) => keyOf(name, `${provider}/${model}`))))
    return known.has(key)
  }
}

function counting(at: number): Counting {
  return { at, routes: new Map(), asked: new Map() }
}

function countsOf({ routes, asked }: Counting): TrafficCounts {
  return { routes, legs: [...asked.values()] }
}

function count({ routes, asked }: Counting, event: Counted, isKnown: IsKnown): void {
  switch (event.type) {
    case 'run-end': {
      const route = at(routes, event.route, noRuns, isOfConfig)
      route.runs += 1
      if (event.provider === undefined) route.failed += 1
      return
    }
    case 'failover':
      at(routes, event.route, noRuns, isOfConfig).failovers += 1
      legOf(event.from).failovers += 1
      return
    case 'attempt-start':
      legOf(`${event.provider}/${event.model}`).attempts += 1
      return
    case 'attempt-failure':
      legOf(`${event.provider}/${event.model}`).failures += 1
      return
    default:
      return
  }

  function legOf(leg: string): LegCounts {
    const { route } = event
    return at(asked, keyOf(route, leg), () => ({ route, leg, attempts: 0, failures: 0, failovers: 0 }), isKnown)
  }
}

/** No request can make the name of a route. */
function isOfConfig(): boolean {
  return true
}

function noRuns(): RouteCounts {
  return { runs: 0, failovers: 0, failed: 0 }
}

function keyOf(route: string, leg: string): string {
  return JSON.stringify([route, leg])
}

function at<Counts>(all: Map<string, Counts>, name: string, make: () => Counts, isKnown: IsKnown): Counts {
  const known = all.get(name)
  if (known !== undefined) return known
  const made = make()
  if (all.size < MOST_NAMES || isKnown(name)) all.set(name, made)
  return made
}
