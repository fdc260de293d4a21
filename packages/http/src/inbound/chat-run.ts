import type { ResolvedMount } from '@understudy/config'
import type { CommittedRun, HealthRegistry, Latencies, RunHost } from '@understudy/core'
import { legName } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'

import type { AuthorizeFault } from '../authorize-faults.js'
import type { Drills } from '../drills/create-drills.js'
import type { IdentifyFault } from '../identify-faults.js'
import { keepsProofs } from '../leg-codec.js'
import type { WireRequest } from '../outbound/wire-request.js'
import type { OrderHost } from '../price-hints.js'
import type { RunWatch, RunWatchHost } from '../run-watch.js'
import type { AtOnceTexts } from './at-once.js'
import { reportJson } from './report.js'
import type { RunHeaders } from './response-headers.js'
import type { ChainChoice } from './choose-chain.js'
import type { RunnableRoute } from './routes.js'
import type { AnswerWriting } from './stream-answer.js'

/** What every run of a `Fallback` stands on. */
export interface ChatHost extends RunWatchHost {
  readonly choice: ChainChoice
  /** In [0, 1). For the jitter of retries, and the order `weighted`. */
  readonly random: () => number
  readonly health: HealthRegistry
  readonly latencies: Latencies
  readonly order: OrderHost
  readonly drills: Drills
  /** Told when the host's `authorize` gave no verdict. */
  readonly onAuthorizeFault: (fault: AuthorizeFault) => void
  /** Told when the host's `identify` did not say who asks. */
  readonly onIdentifyFault: (fault: IdentifyFault) => void
}

/** One chat request on its way. A class: one is made for every request, and an open stream holds it. */
export class ChatRun {
  readonly host: ChatHost
  readonly mount: ResolvedMount
  /** The client's. */
  readonly codec: DialectCodec
  readonly route: RunnableRoute
  readonly request: WireRequest
  readonly includeUsage: boolean
  readonly headers: RunHeaders
  readonly watch: RunWatch

  constructor(
    host: ChatHost,
    mount: ResolvedMount,
    codec: DialectCodec,
    route: RunnableRoute,
    request: WireRequest,
    includeUsage: boolean,
    requestId: string,
    watch: RunWatch,
  ) {
    this.host = host
    this.mount = mount
    this.codec = codec
    this.route = route
    this.request = request
    this.includeUsage = includeUsage
    this.headers = new ToldHeaders(requestId, route, mount)
    this.watch = watch
  }
}

class ToldHeaders implements RunHeaders {
  readonly requestId: string
  readonly route: string
  readonly exposeTrail: boolean
  readonly degraded: string | undefined

  constructor(requestId: string, { name, marking }: RunnableRoute, { exposeTrail }: ResolvedMount) {
    this.requestId = requestId
    this.route = name
    this.exposeTrail = exposeTrail
    this.degraded = marking
  }
}

/** What the core runs a request of ours on. A class: one is made for every request, and an open stream holds it. */
export class ChatRunHost implements RunHost {
  readonly clock: RunHost['clock']
  readonly random: RunHost['random']
  readonly health: RunHost['health']
  readonly latencies: RunHost['latencies']
  readonly prices: RunHost['prices']
  readonly onOrderProblem: RunHost['onOrderProblem']
  readonly gate: RunHost['gate']
  readonly journal: RunHost['journal']
  readonly onStart: RunHost['onStart']
  readonly onEnd: RunHost['onEnd']

  constructor(
    { clock, random, latencies, order }: ChatHost,
    health: RunHost['health'],
    prices: RunHost['prices'],
    gate: RunHost['gate'],
    watch: RunWatch,
    onStart: RunHost['onStart'],
  ) {
    this.clock = clock
    this.random = random
    this.health = health
    this.latencies = latencies
    this.prices = prices
    this.onOrderProblem = order.onProblem
    this.gate = gate
    this.journal = watch.journal
    this.onStart = onStart
    this.onEnd = watch.ended
  }
}

/** What the answer of a run is written with. */
export function answerWriting(chat: ChatRun, outcome: CommittedRun): AnswerWriting {
  return new ChatWriting(chat, outcome)
}

/** A class: one is made for every run that is served, and an open stream holds it. */
class ChatWriting implements AnswerWriting {
  readonly codec: DialectCodec
  readonly requestId: string
  report: string | undefined
  readonly reportKey: string
  readonly classic: boolean
  readonly sameDialect: boolean
  readonly isForeign: boolean
  readonly wallClock: () => number
  readonly asked: AnswerWriting['asked']

  constructor({ host, mount, codec, route, request, headers }: ChatRun, outcome: CommittedRun) {
    const { leg } = outcome
    const dialect = route.dialectOf.get(leg)
    this.codec = codec
    this.requestId = headers.requestId
    this.report = mount.report ? reportOf(route, outcome) : undefined
    this.reportKey = mount.reportKey
    this.classic = mount.envelope === 'classic' && codec.name === 'openai'
    this.sameDialect = dialect === codec.name
    this.isForeign = !keepsProofs(dialect, leg.model, codec)
    this.wallClock = host.wallClock
    this.asked = codec.echoOf?.(request.body ?? {})
  }
}

function reportOf(route: RunnableRoute, outcome: CommittedRun): string {
  const { leg, trail } = outcome
  const [first] = trail
  const texts = atOnceTexts(route, outcome)
  return texts === undefined || first?.outcome !== 'served'
    ? reportJson(route.first, legName(leg), route.legs.length, trail)
    : texts.report(first.latencyMs)
}

/** The texts that are ready, where the run went as nearly all do. */
export function atOnceTexts(route: RunnableRoute, { leg, trail }: CommittedRun): AtOnceTexts | undefined {
  if (trail[0]?.outcome !== 'served') return undefined
  const texts = route.atOnce?.get(leg)
  return texts?.holdFor(route.first, route.legs.length) === true ? texts : undefined
}
