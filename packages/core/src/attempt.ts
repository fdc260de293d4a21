import { Breather } from './breather.js'
import type { Clock } from './clock.js'
import { collectionOf, type Collection } from './collection.js'
import type { CommitGate, CommitPoint } from './commit.js'
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
import type { Progress } from './progress.js'
import { createProgress } from './progress.js'
import type { ChatRequest } from './request.js'
import type { AttemptScope } from './scope.js'
import type { StopSignal } from './stop-signal.js'

/** An answer that the run is bound to: what was held back, and where the rest comes from. */
export interface BoundAnswer {
  readonly answer: LegAnswer
  readonly held: readonly Arrival[]
  readonly progress: Progress
  /** Where the rest comes from; `undefined` when what is held is all there is. */
  readonly source: AsyncIterator<Arrival> | undefined
  readonly scope: AttemptScope
  readonly breather: Breather
  /** Bounds what is still to come, where it is collected after the commit. */
  readonly size: HeldSize | undefined
}

/** How an attempt ended: bound to the leg, or with the reason why not. */
export type AttemptOutcome = { readonly bound: BoundAnswer } | { readonly failure: Failure }

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
    const reads = { source, gate, progress, scope, collection, breather }
    const failure = commit === 'established' ? undefined : await untilCommit(reads)
    if (failure !== undefined) return fail(failure)

    answer.onCommit?.()
    const isWhole = commit === 'complete' || progress.ended
    if (isWhole) closeIterator(source)
    if (isWhole || request.stream) scope.release()
    // Committed at its headers: a buffered answer is under the attempt's limit until its end.
    else scope.disarm('first_content')
    const size = isWhole || request.stream ? undefined : createCollectedSize()
    return { bound: { answer, held: gate.held, progress, source: isWhole ? undefined : source, scope, breather, size } }
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

/** What an answer is read with until it commits. */
interface PreludeReads {
  readonly source: AsyncIterator<Arrival>
  readonly gate: CommitGate
  readonly progress: Progress
  readonly scope: AttemptScope
  readonly collection: Collection | undefined
  readonly breather: Breather
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

/** Reads until the gate opens; gives the failure if it does not. */
async function untilCommit(reads: PreludeReads): Promise<Failure | undefined> {
  const { source, gate, progress, scope, collection, breather } = reads
  for (;;) {
    collection?.asked()
    let result: IteratorResult<Arrival>
    try {
      const rest = breather.pause()
      if (rest !== undefined) await scope.orStopped(rest)
      result = await scope.orStopped(source.next())
      // What came too late counts as little as what did not come.
      if (scope.stopped() !== undefined) throw scope.stopSwitch.reason
    } catch (thrown) {
      const failure = scope.stopped() ?? classify(thrown)
      // A collected answer whose finish was seen has ended, whatever becomes of its connection.
      if (collection === undefined || !progress.complete || failure.kind === 'aborted') return failure
      return progress.content ? undefined : failureOf('empty')
    }
    const verdict = result.done === true ? gate.end() : gate.take(result.value)
    if (verdict === 'commit') return undefined
    if (verdict !== 'hold') return verdict
    if (result.done !== true) collection?.arrived(result.value, progress)
  }
}
