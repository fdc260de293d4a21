import type { ResolvedMount } from '@understudy/config'
import type { CommittedRun, HealthRegistry, Latencies } from '@understudy/core'
import { legName } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'

import type { AuthorizeFault } from '../authorize-faults.js'
import type { Drills } from '../drills/create-drills.js'
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
}

/** One chat request on its way. */
export interface ChatRun {
  readonly host: ChatHost
  readonly mount: ResolvedMount
  /** The client's. */
  readonly codec: DialectCodec
  readonly route: RunnableRoute
  readonly request: WireRequest
  readonly includeUsage: boolean
  readonly headers: RunHeaders
  readonly watch: RunWatch
}

/** What the answer of a run is written with. */
export function answerWriting(chat: ChatRun, outcome: CommittedRun): AnswerWriting {
  const { host, mount, codec, route, request, headers } = chat
  const { leg } = outcome
  return {
    codec,
    requestId: headers.requestId,
    report: mount.report ? [mount.reportKey, reportOf(route, outcome)] : undefined,
    classic: mount.envelope === 'classic' && codec.name === 'openai',
    sameDialect: route.dialectOf.get(leg) === codec.name,
    isForeign: !keepsProofs(route.dialectOf.get(leg), leg.model, codec),
    wallClock: host.wallClock,
    asked: codec.echoOf?.(request.body ?? {}),
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
