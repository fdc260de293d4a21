import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { HeldSize } from './held-size.js'
import { createCollectedSize, createHeldSize } from './held-size.js'
import type { LegAnswer } from './leg.js'
import type { Arrival } from './part.js'
import type { Progress } from './progress.js'
import { failureAtEnd } from './progress.js'
import { youngList } from './young-list.js'

/**
 * When a run is bound to a leg: the first content, the first well-formed event that is no error, the accepted request (2xx
 * headers), or the whole answer.
 */
export type CommitPoint = 'first_content' | 'first_chunk' | 'established' | 'complete'

/** What the gate says after an arrival: keep waiting, commit, or this leg has failed. */
export type GateVerdict = 'hold' | 'commit' | Failure

/** Events that may be held back before the commit; a leg that sends more without content is talking nonsense. */
const MAX_HELD_EVENTS = 256
const MAX_HELD_BYTES = 1024 * 1024

/** Holds an answer back until the run may be bound to it. */
export interface CommitGate {
  readonly held: readonly Arrival[]
  readonly take: (arrival: Arrival) => GateVerdict
  /** The source has ended: what is held is all there is. */
  readonly end: () => GateVerdict
}

/** Makes the gate of one attempt. `progress` follows the same arrivals and is fed by the gate. */
export function createCommitGate(commit: CommitPoint, form: LegAnswer['form'], progress: Progress): CommitGate {
  return new AttemptGate(commit, form, progress)
}

/** A class: one is made for every attempt. */
class AttemptGate implements CommitGate {
  readonly held = youngList<Arrival>()
  readonly #commit: CommitPoint
  readonly #form: LegAnswer['form']
  readonly #progress: Progress
  #size: HeldSize | undefined
  #events = 0

  constructor(commit: CommitPoint, form: LegAnswer['form'], progress: Progress) {
    this.#commit = commit
    this.#form = form
    this.#progress = progress
  }

  take(arrival: Arrival): GateVerdict {
    // Pings before the answer are of no use after it, and must not fill what is held.
    if (arrival.events === 0 && arrival.parts.length === 0) return 'hold'
    this.#progress.take(arrival.parts)
    this.held.push(arrival)
    const verdict = this.#judge(arrival)
    const isPrelude = this.#commit === 'first_content'
    if (verdict !== 'hold') {
      return isPrelude && this.#events + (arrival.leading ?? 0) > MAX_HELD_EVENTS ? failureOf('malformed', { code: 'prelude_too_large' }) : verdict
    }
    this.#events += Math.max(1, arrival.events)
    const isCollected = this.#commit === 'complete'
    this.#size ??= isCollected ? createCollectedSize() : createHeldSize(MAX_HELD_EVENTS, MAX_HELD_BYTES)
    if (this.#size.add(arrival)) return verdict
    return failureOf('malformed', { code: isCollected ? 'answer_too_large' : 'prelude_too_large' })
  }

  end(): GateVerdict {
    return failureAtEnd(this.#progress, this.#form, this.held.length > 0) ?? 'commit'
  }

  #judge(arrival: Arrival): GateVerdict {
    const progress = this.#progress
    if (this.#commit === 'first_content' && progress.content) return 'commit'
    if (this.#commit === 'first_chunk' && opensAnswer(arrival, progress)) return 'commit'
    if (progress.failure === undefined && !progress.ended) return 'hold'
    return failureAtEnd(progress, this.#form) ?? 'commit'
  }
}

/**
 * Whether the arrival begins with a well-formed event that is no error. Behind such an event an error in the same read is a
 * failure after the commit, as it would be in a read of its own. An event without parts (a lifecycle event, a filter result) is
 * well-formed too; one that was skipped is not.
 */
function opensAnswer({ parts, events, skipped = 0 }: Arrival, progress: Progress): boolean {
  const [first] = parts
  switch (first?.type) {
    case undefined:
      return events > skipped
    case 'error':
    case 'end':
      return false
    case 'finish':
      return progress.failure === undefined
    default:
      return true
  }
}
