import type { Logger } from '@understudy/config'
import type { ChatRequest, Clock, DrillEndCause, DrillEndEvent, DrillStartEvent, Leg, RunHealth } from '@understudy/core'

import type { Gate } from '../inbound/gate.js'
import type { InboundHeaders } from '../inbound/request.js'
import type { RunnableRoute } from '../inbound/routes.js'
import type { Warn } from '../warnings.js'
import { checkedDrill } from './check-drill.js'
import type { DrillControl, DrillEnding, DrillRequest, DrillSnapshot, StartedDrill } from './drill-control.js'
import { DrillError } from './drill-error.js'
import { drillHeader, drillId, drillSecret, isSigned } from './drill-signature.js'
import type { TakenAttempt } from './drilled-leg.js'
import { drilledLeg as withFault } from './drilled-leg.js'
import { drilledLeg, faultTime, harmOf, isWell, rescuersOf } from './harm.js'

/** What drills stand on. */
export interface DrillGround {
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  readonly routes: () => ReadonlyMap<string, RunnableRoute>
  readonly emit: (event: DrillStartEvent | DrillEndEvent) => void
  readonly warn: Warn
  readonly logger: Logger | undefined
}

/** A request that may be drilled. */
export interface DrilledRun {
  readonly request: ChatRequest
  readonly headers: InboundHeaders
  readonly health: Pick<RunHealth, 'peek'>
  /** Asks the host what it would say of a leg, with nothing sent behind it; absent = it is not asked. */
  readonly gate: Gate | undefined
}

/** The drills of one `Fallback`. */
export interface Drills {
  readonly control: DrillControl
  /** Whether one runs: all that a request pays for while none does. */
  isActive: boolean
  /** The route with the legs that this request is to see fail; none where no other leg is well enough to be asked, or has words for it. */
  readonly drilled: (route: RunnableRoute, run: DrilledRun) => RunnableRoute
  readonly running: () => readonly DrillSnapshot[]
  /** Ends them all; none starts any more. */
  readonly close: () => void
}

interface Drill {
  readonly started: DrillSnapshot
  /** What a request has to carry; absent = a share of them is meant. */
  readonly header: string | undefined
  readonly cancelTimer: () => void
  /** Attempts that are failed, or are about to be. */
  taken: number
  /** Those that met their fault. */
  drilled: number
}

const MOST_RUNNING = 10
const ENDED_KEPT = 20
/** While the host is asked, the leg's connection is waited for. */
const LONGEST_ASKED_MS = 2_000

/** Makes the drills of one `Fallback`. */
export function createDrills({ clock, random, wallClock, routes, emit, warn, logger }: DrillGround): Drills {
  let running: readonly Drill[] = []
  let ended: readonly DrillSnapshot[] = []
  let isClosed = false

  const drills: Drills = {
    control: { start, end, list: () => [...running.map(snapshotOf).reverse(), ...ended] },
    isActive: false,
    running: () => running.map(snapshotOf),
    drilled(route, run) {
      return running.reduce((before, drill) => drilledBy(before, drill, run), route)
    },
    close() {
      isClosed = true
      for (const drill of running) finish(drill, 'closed')
    },
  }
  return drills

  function start(request: DrillRequest): StartedDrill {
    if (isClosed) throw new DrillError('closed', 'Understudy is closed')
    if (running.length >= MOST_RUNNING) throw new DrillError('invalid_request', `${MOST_RUNNING} drills run already; end one of them`)
    const { route, leg, fault, share, signed, forMs, maxRequests, actor, reason } = checkedDrill(request, routes())
    const id = drillId()
    const secret = signed === true ? drillSecret() : undefined
    const header = secret === undefined ? undefined : drillHeader(id, secret)
    const startedAt = wallClock()
    const about = { id, route, ...(leg !== undefined && { leg }), fault, ...(share === undefined ? { signed: true as const } : { share }) }
    const started = { ...about, startedAt, expiresAt: startedAt + forMs, maxRequests, drilled: 0, by: actor, reason }
    const drill: Drill = { started, header, cancelTimer: clock.schedule(forMs, () => finish(drill, 'time')), taken: 0, drilled: 0 }
    running = [...running, drill]
    drills.isActive = true
    const { expiresAt } = started
    emit({ type: 'drill-start', ...about, expiresAt, maxRequests, by: actor, reason, at: startedAt })
    warn('UNDERSTUDY_DRILL', `a drill makes '${leg ?? 'the first leg'}' of route '${route}' fail on purpose (${fault}), by ${actor}: ${reason}`, {
      ...about, expiresAt, maxRequests, by: actor, reason,
    })
    return { ...started, ...(secret !== undefined && { secret, header }) }
  }

  function end({ id, actor, reason }: DrillEnding): DrillSnapshot {
    for (const [name, value] of Object.entries({ actor, reason })) {
      if (typeof value !== 'string' || value.trim() === '') throw new DrillError('invalid_request', `${name} is missing`)
    }
    const drill = running.find(({ started }) => started.id === id)
    if (drill === undefined) throw new DrillError('unknown_drill', 'no drill of that id runs')
    return finish(drill, 'ended', { by: actor, reason })
  }

  function finish(drill: Drill, cause: DrillEndCause, author?: { readonly by: string; readonly reason: string }): DrillSnapshot {
    const over = { ...snapshotOf(drill), endedAt: wallClock(), endCause: cause }
    if (!running.includes(drill)) return over
    running = running.filter((other) => other !== drill)
    drills.isActive = running.length > 0
    drill.cancelTimer()
    ended = [over, ...ended].slice(0, ENDED_KEPT)
    const { id, route, leg, fault } = drill.started
    const { drilled } = drill
    const about = { id, route, ...(leg !== undefined && { leg }), fault, cause, drilled, ...author }
    emit({ type: 'drill-end', ...about, at: over.endedAt })
    logger?.info(about, `the drill on route '${route}' is over`)
    return over
  }

  function drilledBy(route: RunnableRoute, drill: Drill, { request, headers, health, gate }: DrilledRun): RunnableRoute {
    const { route: name, leg: legName, fault, share } = drill.started
    if (route.name !== name || route.chosenBy !== undefined) return route
    const leg = drilledLeg(route, legName)
    // The chain may be another one than when the drill began.
    if (leg === undefined || leg.isDrilled !== undefined || harmOf(route, leg, fault) !== undefined) return route
    const able = rescuersOf(route, leg, request, health)
    if (able.length === 0) return route
    if (drill.header === undefined ? random() >= (share ?? 0) : !isSigned(headers, drill.header)) return route
    const isRescued = gate && (() => isLetIn(able, health, gate, (leg.limits?.connectTimeoutMs ?? LONGEST_ASKED_MS) / 2))
    const until = clock.now() + faultTime(route)
    return replaced(route, leg, withFault(leg, { type: fault, take: () => take(drill), clock, until, isRescued }))
  }

  /** One more attempt that may be failed; nothing where there are enough. */
  function take(drill: Drill): TakenAttempt | undefined {
    const { maxRequests } = drill.started
    if (!running.includes(drill) || drill.taken >= maxRequests) return undefined
    drill.taken += 1
    return {
      onMet() {
        drill.drilled += 1
        if (drill.drilled >= maxRequests) finish(drill, 'requests')
      },
      onMissed() {
        drill.taken -= 1
      },
    }
  }
}

/** Whether the host lets the run come to a leg that is well. It may leave legs out before, and must not stop there. */
async function isLetIn(legs: readonly Leg[], health: Pick<RunHealth, 'peek'>, gate: Gate, leftMs: number): Promise<boolean> {
  for (const leg of legs) {
    const refusal = await gate(leg, leftMs)
    if (refusal !== undefined && refusal !== 'skip') return false
    if (refusal === undefined && isWell(leg, health)) return true
  }
  return false
}

function replaced(route: RunnableRoute, leg: Leg, by: Leg): RunnableRoute {
  const dialect = route.dialectOf.get(leg)
  const dialectOf = dialect === undefined ? route.dialectOf : new Map([...route.dialectOf, [by, dialect]])
  return { ...route, legs: route.legs.map((other) => (other === leg ? by : other)), dialectOf }
}

function snapshotOf({ started, drilled }: Drill): DrillSnapshot {
  return { ...started, drilled }
}
