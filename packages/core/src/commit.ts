import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { LegAnswer } from './leg.js'
import type { Arrival, Part } from './part.js'
import type { Progress } from './progress.js'

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
/** A whole answer that is collected before it is sent. */
const MAX_COLLECTED_BYTES = 64 * 1024 * 1024

/** Holds an answer back until the run may be bound to it. */
export interface CommitGate {
  readonly held: readonly Arrival[]
  readonly take: (arrival: Arrival) => GateVerdict
  /** The source has ended: what is held is all there is. */
  readonly end: () => GateVerdict
}

/** Makes the gate of one attempt. `progress` follows the same arrivals and is fed by the gate. */
export function createCommitGate(commit: CommitPoint, form: LegAnswer['form'], progress: Progress): CommitGate {
  const held: Arrival[] = []
  const maxBytes = commit === 'complete' ? MAX_COLLECTED_BYTES : MAX_HELD_BYTES
  let events = 0
  let bytes = 0

  return { held, take, end }

  function take(arrival: Arrival): GateVerdict {
    progress.take(arrival.parts)
    held.push(arrival)
    events += arrival.events
    const verdict = judge(arrival)
    if (verdict !== 'hold') return verdict
    bytes += sizeOf(arrival)
    if (bytes > maxBytes || (commit !== 'complete' && events > MAX_HELD_EVENTS)) return failureOf('malformed')
    return 'hold'
  }

  function judge(arrival: Arrival): GateVerdict {
    switch (commit) {
      case 'established':
        return 'commit'
      case 'first_content':
        if (progress.content) return 'commit'
        break
      case 'first_chunk':
        // An error behind a good event in one read is a failure after the commit.
        if (arrival.parts.some((part) => part.type !== 'error') || isWellFormed(arrival)) return 'commit'
        break
      case 'complete':
        break
    }
    if (progress.failure !== undefined) return progress.failure
    if (!progress.ended) return 'hold'
    return progress.content ? 'commit' : failureOf('empty')
  }

  function end(): GateVerdict {
    if (progress.failure !== undefined) return progress.failure
    if (progress.content && (progress.complete || form === 'json')) return 'commit'
    if (progress.content || (events > 0 && !progress.complete && form !== 'json')) return failureOf('truncated')
    return failureOf('empty')
  }
}

/** An event without parts (a lifecycle event, a filter result) is well-formed too; one that was skipped is not. */
function isWellFormed(arrival: Arrival): boolean {
  return arrival.parts.length === 0 && arrival.events > (arrival.skipped ?? 0)
}

function sizeOf(arrival: Arrival): number {
  if (arrival.bytes !== undefined) return arrival.bytes.length
  return arrival.parts.reduce((sum, part) => sum + partSize(part), 0)
}

function partSize(part: Part): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return part.text.length
    case 'tool-call':
      return part.arguments.length + (part.name?.length ?? 0)
    default:
      return 0
  }
}
