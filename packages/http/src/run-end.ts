import { toldName } from '@understudy/core'
import type { FallbackEvent, Lane, Leg, TailEnd } from '@understudy/core'

/** What a run is known by in its last event. */
export interface RunEndIdentity {
  readonly requestId: string
  readonly route: string
  readonly requested: string | undefined
  readonly callerKeyId?: string | undefined
  /** Which class of request it is. Default `standard`. */
  readonly lane?: Lane | undefined
}

/** Puts the last event of a run together: the core knows how the legs ended, the HTTP side what the client was told. */
export interface RunEnd {
  readonly ended: (end: TailEnd, leg: Leg | undefined) => void
  /** What the client was told; the last word before the end counts. */
  readonly answered: (status: number | undefined, errorCode: string | undefined) => void
}

/** What a `RunEnd` is made with. */
export interface RunEndOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since the epoch. */
  readonly epoch: () => number
  readonly emit: (event: FallbackEvent) => void
  /** The code for an answer that broke after its commit. */
  readonly codeOfBroken: (end: TailEnd) => string | undefined
}

/** Emits `run-end`, once, as soon as both sides are known. */
export function createRunEnd(identity: RunEndIdentity, options: RunEndOptions): RunEnd {
  return new TwoSidedEnd(identity, options)
}

/** A class: one is made for every run that somebody hears of. */
class TwoSidedEnd implements RunEnd {
  // Not the identity itself, which is a literal of whoever began the run.
  readonly #requestId: string
  readonly #route: string
  readonly #requested: string | undefined
  readonly #callerKeyId: string | undefined
  readonly #lane: Lane
  readonly #options: RunEndOptions
  readonly #startedAt: number
  #end: TailEnd | undefined
  #leg: Leg | undefined
  #isAnswered = false
  #status: number | undefined
  #errorCode: string | undefined
  #isTold = false

  constructor({ requestId, route, requested, callerKeyId, lane = 'standard' }: RunEndIdentity, options: RunEndOptions) {
    this.#requestId = requestId
    this.#route = route
    this.#requested = requested === undefined ? undefined : toldName(requested)
    this.#callerKeyId = callerKeyId
    this.#lane = lane
    this.#options = options
    this.#startedAt = options.now()
  }

  ended(end: TailEnd, leg: Leg | undefined): void {
    this.#end = end
    this.#leg = leg
    this.#settle()
  }

  answered(status: number | undefined, errorCode: string | undefined): void {
    this.#isAnswered = true
    this.#status = status
    this.#errorCode = errorCode
    this.#settle()
  }

  #settle(): void {
    const end = this.#end
    if (end === undefined || !this.#isAnswered || this.#isTold) return
    this.#isTold = true
    const { now, epoch, emit, codeOfBroken } = this.#options
    emit({
      type: 'run-end',
      requestId: this.#requestId,
      route: this.#route,
      requested: this.#requested,
      callerKeyId: this.#callerKeyId,
      at: epoch(),
      lane: this.#lane,
      provider: this.#leg?.provider,
      model: this.#leg?.model,
      usage: end.usage,
      status: this.#status,
      errorCode: this.#errorCode ?? codeOfBroken(end),
      verdict: end.verdict,
      latencyMs: now() - this.#startedAt,
    })
  }
}
