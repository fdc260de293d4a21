import type { BoundAnswer } from './attempt.js'
import type { Permit } from './breaker/run-health.js'
import type { Cancel, Clock } from './clock.js'
import { classify } from './failure/classify.js'
import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { Verdict } from './failure/verdict.js'
import type { IdleWatch } from './idle-watch.js'
import { createIdleWatch } from './idle-watch.js'
import type { DirectIterator, ItemReader } from './iterable.js'
import { closeIterator, directOf, DONE, promised, READ, readByPromise } from './iterable.js'
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
  /** The same where they are all there, so that they need not be waited for. */
  readonly whole: readonly Arrival[] | undefined
  /** How it ended, once it has: looked at when the arrivals are done. */
  readonly end: () => TailEnd | undefined
}

type Result = IteratorResult<Arrival, undefined>

/**
 * Follows a bound answer under the limits that hold after the commit: idle, the whole stream, the grace after the finish.
 * Whatever goes wrong here ends the arrivals; no other leg is tried. The permit says what the end is worth, and then `onEnd` is told,
 * each once.
 *
 * Hot: `[READ]` and `onItem` run once a read, so they make no closure, no promise and no timer.
 */
export function createTail(
  bound: BoundAnswer,
  limits: AttemptLimits,
  clock: Clock,
  permit: Pick<Permit, 'settle'>,
  onEnd: (end: TailEnd) => void,
): Tail {
  if (bound.source === undefined) return wholeTail(bound, permit, onEnd)
  const arrivals = new FollowedAnswer(bound, bound.source, limits, clock, permit, onEnd)
  arrivals.start()
  return { arrivals, whole: undefined, end: () => arrivals.ended }
}

/** Nothing is left to follow: it has ended well before anybody reads it. */
function wholeTail({ held, progress, scope, breather }: BoundAnswer, permit: Pick<Permit, 'settle'>, onEnd: (end: TailEnd) => void): Tail {
  const ended = new EndOfTail(undefined, permit.settle(undefined), progress.usage)
  scope.release()
  breather.stop()
  onEnd(ended)
  return { arrivals: new HeldAnswer(held), whole: held, end: () => ended }
}

class EndOfTail implements TailEnd {
  readonly failure: Failure | undefined
  readonly verdict: Verdict
  readonly usage: Usage | undefined

  constructor(failure: Failure | undefined, verdict: Verdict, usage: Usage | undefined) {
    this.failure = failure
    this.verdict = verdict
    this.usage = usage
  }
}

const NOTHING: readonly Arrival[] = []

class HeldAnswer implements DirectIterator<Arrival> {
  #held: readonly Arrival[]
  #replayed = 0

  constructor(held: readonly Arrival[]) {
    this.#held = held
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Result> {
    return promised(this)
  }

  [READ](reader: ItemReader<Arrival>): void {
    const value = this.#held[this.#replayed]
    this.#replayed += 1
    reader.onItem(value === undefined ? DONE : { done: false, value })
  }

  return(): Promise<Result> {
    this.#held = NOTHING
    return Promise.resolve(DONE)
  }
}

/** A class: an open stream holds one, and its methods are shared. */
class FollowedAnswer implements DirectIterator<Arrival>, ItemReader<Arrival> {
  ended: TailEnd | undefined
  // Not the bound answer itself, which holds what was held.
  readonly #answer: BoundAnswer['answer']
  readonly #breather: BoundAnswer['breather']
  readonly #progress: BoundAnswer['progress']
  readonly #scope: BoundAnswer['scope']
  readonly #size: BoundAnswer['size']
  readonly #source: AsyncIterator<Arrival>
  readonly #direct: DirectIterator<Arrival> | undefined
  readonly #limits: AttemptLimits
  readonly #clock: Clock
  readonly #permit: Pick<Permit, 'settle'>
  readonly #onEnd: (end: TailEnd) => void
  #held: readonly Arrival[]
  #replayed = 0
  #isOver = false
  #idle: IdleWatch | undefined
  #grace: Cancel | undefined
  #stream: Cancel | undefined
  #reading: Promise<Result> | undefined
  #reader: ItemReader<Arrival> | undefined

  constructor(
    bound: BoundAnswer,
    source: AsyncIterator<Arrival>,
    limits: AttemptLimits,
    clock: Clock,
    permit: Pick<Permit, 'settle'>,
    onEnd: (end: TailEnd) => void,
  ) {
    this.#answer = bound.answer
    this.#breather = bound.breather
    this.#progress = bound.progress
    this.#scope = bound.scope
    this.#size = bound.size
    this.#source = source
    this.#direct = directOf(source)
    this.#limits = limits
    this.#clock = clock
    this.#permit = permit
    this.#onEnd = onEnd
    this.#held = bound.held
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  start(): void {
    const scope = this.#scope
    const { idleTimeoutMs, maxStreamMs } = this.#limits
    const stopped = scope.stopped()
    if (stopped !== undefined) {
      this.#settle(stopped)
      return
    }
    scope.onStop((failure) => this.#settle(failure.kind === 'aborted' ? failure : this.#unlessComplete(failure)))
    this.#idle = createIdleWatch(this.#clock, idleTimeoutMs, () => scope.stop(timedOut('idle')))
    if (maxStreamMs !== undefined) {
      this.#stream = this.#clock.schedule(maxStreamMs, () => scope.stop(timedOut('stream')))
    }
    // What was held may hold the finish already, or an error behind the content that committed.
    this.#follow()
  }

  next(): Promise<Result> {
    // A second reader waits for the first: no source is asked twice at once.
    if (this.#reader !== undefined && this.#reading !== undefined) return this.#reading.then(() => this.next())
    this.#reading = promised(this)
    return this.#reading
  }

  [READ](reader: ItemReader<Arrival>): void {
    const arrival = this.#held[this.#replayed]
    if (arrival !== undefined) {
      this.#replayed += 1
      reader.onItem({ done: false, value: arrival })
      return
    }
    if (this.#replayed > 0) {
      this.#held = NOTHING
      this.#replayed = 0
    }
    if (this.#isOver) {
      reader.onItem(DONE)
      return
    }
    this.#idle?.asked()
    this.#reader = reader
    const rest = this.#breather.pause()
    if (rest === undefined) this.#ask()
    else void rest.then(() => this.#ask())
  }

  return(): Promise<Result> {
    this.#settle(this.#unlessComplete(failureOf('aborted')))
    this.#held = NOTHING
    return Promise.resolve(DONE)
  }

  /** The reader waits for us and not for the source, so that a leg that does not listen to its signal holds no reader. */
  #ask(): void {
    if (this.#isOver) return
    if (this.#direct === undefined) readByPromise(this.#source, this)
    else this.#direct[READ](this)
  }

  onItem(result: IteratorResult<Arrival, unknown>): void {
    if (this.#isOver) return
    // Out of the reach of `#settle`: what this arrival says may end the answer, and the reader gets it all the same.
    const reader = this.#reader
    this.#reader = undefined
    reader?.onItem(this.#judged(result))
  }

  #judged(result: IteratorResult<Arrival, unknown>): Result {
    try {
      if (result.done !== true) {
        this.#take(result.value)
        return result
      }
      this.#settle(this.#failureAtEnd())
    } catch (thrown) {
      // It gave something that is no arrival.
      this.onFailure(thrown)
    }
    return DONE
  }

  #take(arrival: Arrival): void {
    this.#idle?.arrived(arrival.events)
    if (this.#size?.add(arrival) === false) {
      this.#settle(failureOf('malformed', { code: 'answer_too_large' }))
      return
    }
    if (arrival.parts.length === 0) return
    this.#progress.take(arrival.parts)
    this.#follow()
  }

  onFailure(thrown: unknown): void {
    this.#settle(this.#unlessComplete(classify(thrown)))
  }

  /** Behind the finish of an answer nothing that goes wrong takes anything from it. */
  #unlessComplete(failure: Failure): Failure | undefined {
    return this.#progress.complete ? this.#failureAtEnd() : failure
  }

  #failureAtEnd(): Failure | undefined {
    return failureAtEnd(this.#progress, this.#answer.form)
  }

  #follow(): void {
    const progress = this.#progress
    if (progress.failure !== undefined) this.#settle(progress.failure)
    else if (progress.ended) this.#settle(this.#failureAtEnd())
    else if (progress.complete) {
      this.#grace ??= this.#clock.schedule(this.#limits.finishGraceMs, () => this.#scope.stop(timedOut('idle')))
    } else if (this.#grace !== undefined) {
      // A choice has begun behind the finish of the others.
      this.#grace()
      this.#grace = undefined
    }
  }

  #settle(failure: Failure | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    const reader = this.#reader
    this.#reader = undefined
    this.ended = new EndOfTail(failure, this.#permit.settle(failure), this.#progress.usage)
    this.#scope.release()
    this.#breather.stop()
    this.#idle?.stop()
    this.#grace?.()
    this.#stream?.()
    closeIterator(this.#source)
    // Half an answer is of no use: its socket goes now, and a leg that is still producing stops.
    if (failure !== undefined) this.#scope.stop(failure)
    this.#onEnd(this.ended)
    reader?.onItem(DONE)
  }
}
