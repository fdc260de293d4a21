import type { Breather } from './breather.js'
import type { Collection } from './collection.js'
import type { CommitGate } from './commit.js'
import { classify } from './failure/classify.js'
import type { Failure } from './failure/failure.js'
import { failureOf } from './failure/failure.js'
import type { DirectIterator, ItemReader } from './iterable.js'
import { directOf, READ, readByPromise } from './iterable.js'
import type { Arrival } from './part.js'
import type { Progress } from './progress.js'
import type { AttemptScope } from './scope.js'

/** Why an answer does not commit; absent if it does. */
type Outcome = Failure | undefined

/**
 * Reads an answer until its gate opens. A class, and told what it works on one by one: one is made for every attempt, and a literal that holds
 * as much would outlive it.
 */
export class Prelude implements ItemReader<Arrival> {
  readonly #source: AsyncIterator<Arrival>
  readonly #direct: DirectIterator<Arrival> | undefined
  readonly #gate: CommitGate
  readonly #progress: Progress
  readonly #scope: AttemptScope
  readonly #collection: Collection | undefined
  readonly #breather: Breather
  #isAsking = false
  #isAnswered = false
  #isOver = false
  #outcome: Outcome
  #resolve: ((outcome: Outcome) => void) | undefined

  /** `collection`: where the whole answer is read before the commit. */
  constructor(
    source: AsyncIterator<Arrival>,
    gate: CommitGate,
    progress: Progress,
    scope: AttemptScope,
    collection: Collection | undefined,
    breather: Breather,
  ) {
    this.#source = source
    this.#direct = directOf(source)
    this.#gate = gate
    this.#progress = progress
    this.#scope = scope
    this.#collection = collection
    this.#breather = breather
  }

  /**
   * The failure, if the gate does not open. No promise where all that it takes is there: of most documents, and of many first reads of a
   * stream. Takes the place of a listener of the scope. To be called once.
   */
  read(): Outcome | Promise<Outcome> {
    // A leg that does not listen to its signal holds nobody.
    this.#scope.onStop(this.#broke)
    this.#ask()
    if (this.#isOver) return this.#outcome
    return new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  /** A loop: what is there already makes no call within a call. */
  #ask(): void {
    do {
      this.#isAnswered = false
      this.#isAsking = true
      this.#collection?.asked()
      const rest = this.#breather.pause()
      if (rest === undefined) this.#read()
      else void rest.then(() => this.#read())
      this.#isAsking = false
    } while (this.#isAnswered && !this.#isOver)
  }

  #read(): void {
    if (this.#isOver) return
    if (this.#direct === undefined) readByPromise(this.#source, this)
    else this.#direct[READ](this)
  }

  onItem(result: IteratorResult<Arrival, unknown>): void {
    if (this.#isOver) return
    try {
      const verdict = result.done === true ? this.#gate.end() : this.#gate.take(result.value)
      if (verdict !== 'hold') this.#end(verdict === 'commit' ? undefined : verdict)
      else if (result.done !== true) this.#collection?.arrived(result.value, this.#progress)
    } catch (thrown) {
      // It gave something that is no arrival.
      this.#end(classify(thrown))
    }
    if (this.#isOver) return
    if (this.#isAsking) this.#isAnswered = true
    else this.#ask()
  }

  onFailure(thrown: unknown): void {
    this.#broke(classify(thrown))
  }

  readonly #broke = (failure: Failure): void => {
    if (this.#isOver) return
    const { complete, content } = this.#progress
    // A collected answer whose finish was seen has ended, whatever becomes of its connection.
    if (this.#collection === undefined || !complete || failure.kind === 'aborted') this.#end(failure)
    else this.#end(content ? undefined : failureOf('empty'))
  }

  #end(outcome: Outcome): void {
    this.#isOver = true
    this.#outcome = outcome
    this.#resolve?.(outcome)
  }
}
