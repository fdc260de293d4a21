import type { BoundAnswer } from './attempt.js'
import type { Cancel, Clock } from './clock.js'
import { classify } from './failure/classify.js'
import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import type { IdleWatch } from './idle-watch.js'
import { createIdleWatch } from './idle-watch.js'
import { closeIterator, DONE } from './iterable.js'
import type { AttemptLimits } from './limits.js'
import type { Arrival, Usage } from './part.js'
import { failureAtEnd } from './progress.js'
import { timedOut } from './scope.js'

/** How a committed answer ended. */
export interface TailEnd {
  /** Why it is not whole; absent if it is. */
  readonly failure?: Failure | undefined
  /** What that says of the provider, as its health was told. */
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

/** Who wants to know how an answer ended. */
export interface TailHost {
  readonly settle: (failure: Failure | undefined) => Verdict
  readonly onEnd: (end: TailEnd) => void
}

type Result = IteratorResult<Arrival, undefined>

/**
 * Follows a bound answer under the limits that hold after the commit: idle, the whole stream, the grace after the finish.
 * Whatever goes wrong here ends the arrivals; no other leg is tried. `settle` says what the end is worth, and then `onEnd` is told,
 * each once.
 *
 * Hot: `next`, `read` and `onResult` run once a read, so they make no closure and no timer.
 */
export function createTail(
  bound: BoundAnswer,
  limits: AttemptLimits,
  clock: Clock,
  { settle: verdictOf, onEnd }: TailHost,
): Tail {
  const { progress, source, scope, answer, breather, size } = bound
  let held = bound.held
  let replayed = 0
  let isOver = false
  let ended: TailEnd | undefined
  let idle: IdleWatch | undefined
  let grace: Cancel | undefined
  let stream: Cancel | undefined
  let reading: Promise<Result> | undefined
  let deliver: ((result: Result) => void) | undefined

  const arrivals: AsyncIterableIterator<Arrival, undefined> = {
    [Symbol.asyncIterator]: () => arrivals,
    next,
    return() {
      settle(unlessComplete(failureOf('aborted')))
      held = []
      return Promise.resolve(DONE)
    },
  }
  start()
  return { arrivals, end: () => ended }

  function start(): void {
    const stopped = scope.stopped()
    if (source === undefined || stopped !== undefined) {
      settle(source === undefined ? undefined : stopped)
      return
    }
    scope.onStop((failure) => settle(failure.kind === 'aborted' ? failure : unlessComplete(failure)))
    idle = createIdleWatch(clock, limits.idleTimeoutMs, () => scope.stop(timedOut('idle')))
    if (limits.maxStreamMs !== undefined) {
      stream = clock.schedule(limits.maxStreamMs, () => scope.stop(timedOut('stream')))
    }
    // What was held may hold the finish already, or an error behind the content that committed.
    follow()
  }

  function next(): Promise<Result> {
    const arrival = held[replayed]
    if (arrival !== undefined) {
      replayed += 1
      return Promise.resolve({ done: false, value: arrival })
    }
    if (replayed > 0) {
      held = []
      replayed = 0
    }
    if (isOver || source === undefined) return Promise.resolve(DONE)
    // A second reader waits for the first: no source is asked twice at once.
    if (deliver !== undefined && reading !== undefined) return reading.then(next)
    idle?.asked()
    reading = new Promise(read)
    return reading
  }

  /** The promise is ours and not the source's, so that a leg that does not listen to its signal holds no reader. */
  function read(resolve: (result: Result) => void): void {
    deliver = resolve
    const rest = breather.pause()
    if (rest === undefined) ask()
    else void rest.then(ask)
  }

  function ask(): void {
    if (isOver) return
    try {
      source?.next().then(onResult, onError)
    } catch (thrown) {
      onError(thrown)
    }
  }

  function onResult(result: IteratorResult<Arrival, unknown>): void {
    if (isOver) return
    // Out of the reach of `settle`: what this arrival says may end the answer, and the reader gets it all the same.
    const waiting = deliver
    deliver = undefined
    try {
      if (result.done === true) settle(failureAtEnd(progress, answer.form))
      else take(result.value)
      waiting?.(result.done === true ? DONE : result)
    } catch (thrown) {
      // It gave something that is no arrival.
      onError(thrown)
      waiting?.(DONE)
    }
  }

  function take(arrival: Arrival): void {
    idle?.arrived(arrival.events)
    if (size?.add(arrival) === false) {
      settle(failureOf('malformed', { code: 'answer_too_large' }))
      return
    }
    if (arrival.parts.length === 0) return
    progress.take(arrival.parts)
    follow()
  }

  function onError(thrown: unknown): void {
    settle(unlessComplete(classify(thrown)))
  }

  /** Behind the finish of an answer nothing that goes wrong takes anything from it. */
  function unlessComplete(failure: Failure): Failure | undefined {
    return progress.complete ? failureAtEnd(progress, answer.form) : failure
  }

  function follow(): void {
    if (progress.failure !== undefined) settle(progress.failure)
    else if (progress.ended) settle(failureAtEnd(progress, answer.form))
    else if (progress.complete) grace ??= clock.schedule(limits.finishGraceMs, () => scope.stop(timedOut('idle')))
    else if (grace !== undefined) {
      // A choice has begun behind the finish of the others.
      grace()
      grace = undefined
    }
  }

  function settle(failure: Failure | undefined): void {
    if (isOver) return
    isOver = true
    ended = { failure, verdict: verdictOf(failure), usage: progress.usage }
    scope.release()
    breather.stop()
    idle?.stop()
    grace?.()
    stream?.()
    if (source !== undefined) {
      closeIterator(source)
      // Half an answer is of no use: its socket goes now, and a leg that is still producing stops.
      if (failure !== undefined) scope.stop(failure)
    }
    deliver?.(DONE)
    onEnd(ended)
  }
}
