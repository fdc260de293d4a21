import type { BoundAnswer } from './attempt.js'
import type { Cancel, Clock } from './clock.js'
import { classify } from './failure/classify.js'
import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import { healthOf } from './failure/verdict.js'
import type { IdleWatch } from './idle-watch.js'
import { createIdleWatch } from './idle-watch.js'
import { closeIterator, DONE } from './iterable.js'
import type { AttemptLimits } from './limits.js'
import type { Arrival, Usage } from './part.js'
import { timedOut } from './scope.js'

/** How a committed answer ended. */
export interface TailEnd {
  /** Why it is not whole; absent if it is. */
  readonly failure?: Failure | undefined
  readonly verdict: Verdict
  readonly usage?: Usage | undefined
}

/** The answer of a bound leg from its first event to its last. */
export interface Tail {
  /** What was held, then the rest; never rejects. One reader. `return` ends it early. */
  readonly arrivals: AsyncIterableIterator<Arrival>
  /** How it ended, once it has: looked at when the arrivals are done. */
  readonly end: () => TailEnd | undefined
}

/**
 * Follows a bound answer under the limits that hold after the commit: idle, the whole stream, the grace after the finish.
 * Whatever goes wrong here ends the arrivals; no other leg is tried. `onEnd` is called once.
 */
export function createTail(
  bound: BoundAnswer,
  limits: AttemptLimits,
  clock: Clock,
  onEnd: (end: TailEnd) => void,
): Tail {
  const { held, progress, source, scope, answer } = bound
  let index = 0
  let ended: TailEnd | undefined
  let idle: IdleWatch | undefined
  let grace: Cancel | undefined
  let stream: Cancel | undefined

  if (source === undefined) {
    settle(undefined)
  } else {
    scope.onStop((failure) => settle(progress.complete && failure.kind !== 'aborted' ? undefined : failure))
    const already = scope.stopped()
    if (already !== undefined) settle(already)
    else arm()
  }

  const arrivals: AsyncIterableIterator<Arrival> = {
    [Symbol.asyncIterator]: () => arrivals,
    next() {
      const arrival = held[index]
      if (arrival !== undefined) {
        index += 1
        return Promise.resolve({ done: false, value: arrival })
      }
      if (ended !== undefined || source === undefined) return Promise.resolve(DONE)
      idle?.asked()
      return source.next().then(onResult, onError)
    },
    return() {
      settle(progress.complete ? undefined : failureOf('aborted'))
      index = held.length
      return Promise.resolve(DONE)
    },
  }
  return { arrivals, end: () => ended }

  function arm(): void {
    idle = createIdleWatch(clock, limits.idleTimeoutMs, () => scope.stop(timedOut('idle')))
    if (limits.maxStreamMs !== undefined) {
      stream = clock.schedule(limits.maxStreamMs, () => scope.stop(timedOut('stream')))
    }
    // What was held may hold the finish already, or an error behind the content that committed.
    follow()
  }

  function onResult(result: IteratorResult<Arrival>): IteratorResult<Arrival> {
    if (ended !== undefined) return DONE
    if (result.done === true) {
      settle(atEndOfSource())
      return DONE
    }
    const arrival = result.value
    idle?.arrived(arrival.events)
    if (arrival.parts.length > 0) {
      progress.take(arrival.parts)
      follow()
    }
    return result
  }

  function onError(thrown: unknown): IteratorResult<Arrival> {
    settle(progress.complete ? undefined : (scope.stopped() ?? classify(thrown)))
    return DONE
  }

  function follow(): void {
    if (progress.failure !== undefined) settle(progress.failure)
    else if (progress.ended) settle(progress.content ? undefined : failureOf('empty'))
    else if (progress.complete) grace ??= clock.schedule(limits.finishGraceMs, () => scope.stop(timedOut('idle')))
  }

  function atEndOfSource(): Failure | undefined {
    if (progress.content && (progress.complete || answer.form === 'json')) return undefined
    return failureOf(progress.content || !progress.complete ? 'truncated' : 'empty')
  }

  function settle(failure: Failure | undefined): void {
    if (ended !== undefined) return
    ended = { failure, verdict: failure === undefined ? 'success' : healthOf(failure), usage: progress.usage }
    idle?.stop()
    grace?.()
    stream?.()
    if (source !== undefined) {
      closeIterator(source)
      // Half an answer is of no use: its socket goes now, and a leg that is still producing stops.
      if (failure !== undefined) scope.stop(failure)
    }
    onEnd(ended)
  }
}
