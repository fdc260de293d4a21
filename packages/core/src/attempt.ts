import { Breather } from './breather.js'
import type { Clock } from './clock.js'
import { collectionOf } from './collection.js'
import type { CommitPoint } from './commit.js'
import { createCommitGate } from './commit.js'
import { classify } from './failure/classify.js'
import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { HeldSize } from './held-size.js'
import { createCollectedSize } from './held-size.js'
import { closeArrivals, closeIterator } from './iterable.js'
import type { Leg, LegAnswer, LegContext } from './leg.js'
import type { AttemptLimits } from './limits.js'
import type { Arrival } from './part.js'
import { Prelude } from './prelude.js'
import type { Progress } from './progress.js'
import { createProgress } from './progress.js'
import type { ChatRequest } from './request.js'
import type { AttemptScope } from './scope.js'
import type { StopSignal } from './stop-signal.js'

/**
 * An answer that the run is bound to: what was held back, and where the rest comes from. A class: one is made for every request that is
 * served, and holds on to much.
 */
export class BoundAnswer {
  readonly answer: LegAnswer
  readonly held: readonly Arrival[]
  readonly progress: Progress
  /** Where the rest comes from; `undefined` when what is held is all there is. */
  readonly source: AsyncIterator<Arrival> | undefined
  readonly scope: AttemptScope
  readonly breather: Breather
  /** Bounds what is still to come, where it is collected after the commit. */
  readonly size: HeldSize | undefined

  constructor(
    answer: LegAnswer,
    held: readonly Arrival[],
    progress: Progress,
    source: AsyncIterator<Arrival> | undefined,
    scope: AttemptScope,
    breather: Breather,
    size: HeldSize | undefined,
  ) {
    this.answer = answer
    this.held = held
    this.progress = progress
    this.source = source
    this.scope = scope
    this.breather = breather
    this.size = size
  }
}

/** How an attempt ended: bound to the leg, or with the reason why not. */
export type AttemptOutcome = BoundAnswer | { readonly failure: Failure }

/** What one attempt is asked to do. */
export interface AttemptTask {
  readonly leg: Leg
  readonly request: ChatRequest
  readonly commit: CommitPoint
  readonly limits: AttemptLimits
  /** What the chain's deadline leaves, if that is less than the attempt may take. */
  readonly chainLeftMs: number | undefined
  readonly clock: Clock
}

/**
 * Asks one leg once: arms the limits, opens it, and waits for what commits. Resolves at the commit or with the failure; never
 * rejects. `scope` is stopped from outside when the client leaves.
 */
export async function attempt(task: AttemptTask, scope: AttemptScope): Promise<AttemptOutcome> {
  const { request, commit } = task
  const collection = collectionOf(task, scope)
  const breather = new Breather(task.clock)
  let answer: LegAnswer | undefined
  let source: AsyncIterator<Arrival> | undefined
  try {
    if (scope.stopped() === undefined) {
      armAll(scope, task)
      answer = await openLeg(task, scope)
      source = answer.arrivals[Symbol.asyncIterator]()
      scope.connected()
    }
    const stopped = scope.stopped()
    if (stopped !== undefined || answer === undefined || source === undefined) return fail(stopped)

    const progress = createProgress(request, answer.choices)
    const gate = createCommitGate(commit, answer.form, progress)
    const prelude = commit === 'established' ? undefined : new Prelude(source, gate, progress, scope, collection, breather)
    const reading = prelude?.read()
    const failure = reading instanceof Promise ? await reading : reading
    if (failure !== undefined) return fail(failure)
    // Between the arrival that opened the gate and this turn.
    const left = scope.stopped()
    if (left?.kind === 'aborted') return fail(left)

    answer.onCommit?.()
    const isWhole = commit === 'complete' || progress.ended
    if (isWhole) closeIterator(source)
    if (isWhole || request.stream) scope.release()
    // Committed at its headers: a buffered answer is under the attempt's limit until its end.
    else scope.disarm('first_content')
    const size = isWhole || request.stream ? undefined : createCollectedSize()
    return new BoundAnswer(answer, gate.held, progress, isWhole ? undefined : source, scope, breather, size)
  } catch (thrown) {
    return fail(scope.stopped() ?? classify(thrown))
  } finally {
    breather.stop()
    collection?.release()
  }

  function fail(failure: Failure = failureOf('server_error')): AttemptOutcome {
    scope.release()
    if (source !== undefined) closeIterator(source)
    // What was opened is in the middle of an answer that nobody will read: its socket goes now.
    if (answer !== undefined) scope.stop(failure)
    return { failure }
  }
}

function armAll(scope: AttemptScope, { limits, chainLeftMs }: AttemptTask): void {
  const { connectTimeoutMs, firstContentTimeoutMs, timeoutMs } = limits
  const wholeMs = chainLeftMs ?? timeoutMs
  scope.arm(chainLeftMs === undefined ? 'attempt' : 'chain', wholeMs)
  // A limit that cannot fire before another one is not worth a timer.
  if (firstContentTimeoutMs < wholeMs) scope.arm('first_content', firstContentTimeoutMs)
  if (connectTimeoutMs < Math.min(wholeMs, firstContentTimeoutMs)) scope.arm('connect', connectTimeoutMs)
}

function openLeg({ leg, request }: AttemptTask, scope: AttemptScope): LegAnswer | Promise<LegAnswer> {
  const opening = leg.open(request, new AttemptContext(scope))
  return 'then' in opening ? scope.orStopped(opening, closeArrivals) : opening
}

/** A class, so that a leg that asks for no `AbortSignal` pays for none. */
class AttemptContext implements LegContext {
  readonly #scope: AttemptScope

  constructor(scope: AttemptScope) {
    this.#scope = scope
  }

  get signal(): AbortSignal {
    return this.#scope.signal
  }

  get stopSignal(): StopSignal {
    return this.#scope.stopSwitch
  }

  readonly onConnect = (): void => this.#scope.connected()
}
