import type { Clock } from './clock.js'
import { collectionOf, type Collection } from './collection.js'
import type { CommitGate, CommitPoint } from './commit.js'
import { createCommitGate } from './commit.js'
import { classify } from './failure/classify.js'
import type { Failure } from './failure/failure.js'
import { closeIterator, orAborted } from './iterable.js'
import type { Leg, LegAnswer } from './leg.js'
import type { AttemptLimits } from './limits.js'
import type { Arrival } from './part.js'
import type { Progress } from './progress.js'
import { createProgress } from './progress.js'
import type { ChatRequest } from './request.js'
import type { AttemptScope } from './scope.js'
import { createAttemptScope } from './scope.js'

/** An answer that the run is bound to: what was held back, and where the rest comes from. */
export interface BoundAnswer {
  readonly answer: LegAnswer
  readonly held: readonly Arrival[]
  readonly progress: Progress
  /** Where the rest comes from; `undefined` when what is held is all there is. */
  readonly source: AsyncIterator<Arrival> | undefined
  readonly scope: AttemptScope
}

/** How an attempt ended: bound to the leg, or with the reason why not. */
export type AttemptOutcome = { readonly bound: BoundAnswer } | { readonly failure: Failure }

/** One leg, once, in flight. */
export interface Attempt {
  /** Ends it from outside: the client left, the chain's deadline passed. */
  readonly stop: (failure: Failure) => void
  /** Resolves at the commit or with the failure; never rejects. */
  readonly outcome: Promise<AttemptOutcome>
}

/** What one attempt is asked to do. */
export interface AttemptTask {
  readonly leg: Leg
  readonly request: ChatRequest
  readonly commit: CommitPoint
  readonly limits: AttemptLimits
  readonly clock: Clock
}

/** Asks one leg once: arms the limits, opens it, and waits for what commits. */
export function startAttempt(task: AttemptTask): Attempt {
  const scope = createAttemptScope(task.clock)
  return { stop: scope.stop, outcome: attempt(task, scope) }
}

async function attempt(task: AttemptTask, scope: AttemptScope): Promise<AttemptOutcome> {
  const collection = collectionOf(task, scope)
  let source: AsyncIterator<Arrival> | undefined
  armAll(scope, task.limits)
  try {
    const answer = await openLeg(task, scope)
    scope.disarm('connect')
    source = answer.arrivals[Symbol.asyncIterator]()
    const progress = createProgress(task.request)
    const gate = createCommitGate(task.commit, answer.form, progress)
    const failure = task.commit === 'established' ? undefined : await untilCommit(source, gate, progress, scope, collection)
    if (failure !== undefined) return fail(failure, source, scope)
    // The whole answer is here: the source has nothing more to say.
    const whole = task.commit === 'complete' || progress.ended
    if (whole) closeIterator(source)
    answer.onCommit?.()
    return { bound: { answer, held: gate.held, progress, source: whole ? undefined : source, scope } }
  } catch (thrown) {
    return fail(scope.stopped() ?? classify(thrown), source, scope)
  } finally {
    scope.release()
    collection?.release()
  }
}

function armAll(scope: AttemptScope, limits: AttemptLimits): void {
  scope.arm('attempt', limits.timeoutMs)
  // A limit that cannot fire before the attempt's own is not worth a timer.
  if (limits.firstContentTimeoutMs < limits.timeoutMs) scope.arm('first_content', limits.firstContentTimeoutMs)
  if (limits.connectTimeoutMs < Math.min(limits.timeoutMs, limits.firstContentTimeoutMs)) {
    scope.arm('connect', limits.connectTimeoutMs)
  }
}

function openLeg({ leg, request }: AttemptTask, scope: AttemptScope): LegAnswer | Promise<LegAnswer> {
  const opening = leg.open(request, { signal: scope.signal, onConnect: () => scope.disarm('connect') })
  if (!(opening instanceof Promise)) return opening
  return orAborted(opening, scope.signal, ({ arrivals }) => closeIterator(arrivals[Symbol.asyncIterator]()))
}

/** Reads until the gate opens; gives the failure if it does not. */
async function untilCommit(
  source: AsyncIterator<Arrival>,
  gate: CommitGate,
  progress: Progress,
  scope: AttemptScope,
  collection: Collection | undefined,
): Promise<Failure | undefined> {
  for (;;) {
    collection?.asked()
    let result: IteratorResult<Arrival>
    try {
      result = await source.next()
      // A leg that does not listen to its signal gets no say after the stop.
      if (scope.stopped() !== undefined) throw scope.signal.reason
    } catch (thrown) {
      const failure = scope.stopped() ?? classify(thrown)
      // A collected answer whose finish was seen is whole, whatever becomes of its connection.
      return collection !== undefined && progress.content && progress.complete && failure.kind !== 'aborted'
        ? undefined
        : failure
    }
    const verdict = result.done === true ? gate.end() : gate.take(result.value)
    if (verdict === 'commit') return undefined
    if (verdict !== 'hold') return verdict
    if (result.done !== true) collection?.arrived(result.value, progress)
  }
}

/** What was opened is in the middle of an answer that nobody will read: its socket goes now. */
function fail(failure: Failure, source: AsyncIterator<Arrival> | undefined, scope: AttemptScope): AttemptOutcome {
  if (source !== undefined) {
    closeIterator(source)
    scope.stop(failure)
  }
  return { failure }
}
