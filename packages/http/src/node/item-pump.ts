import type { DirectIterator, ItemReader } from '@understudy/core'
import { directOf, READ, readByPromise } from '@understudy/core'

/** Who takes the items of a response. Its methods never throw. */
export interface ItemTaker {
  /** Does what is done with an item, and says whether the next is wanted at once. Told of the end too. */
  takeItem(item: IteratorResult<Uint8Array>): boolean
  failItems(error: unknown): void
}

/**
 * Asks for the items of a response's stream one at a time and hands each over, for as long as the taker wants more; items that are there
 * already make no call within a call. Hot: once an item.
 */
export class ItemPump implements ItemReader<Uint8Array> {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #direct: DirectIterator<Uint8Array> | undefined
  readonly #taker: ItemTaker
  #isWanted = false
  /** Stays set when the stream is over. */
  #isAsking = false
  #isRunning = false

  constructor(iterator: AsyncIterator<Uint8Array>, taker: ItemTaker) {
    this.#iterator = iterator
    this.#direct = directOf(iterator)
    this.#taker = taker
  }

  /** Asks for the next item, unless that is under way. */
  start(): void {
    if (this.#isAsking) return
    this.#isWanted = true
    if (!this.#isRunning) this.#run()
  }

  #run(): void {
    this.#isRunning = true
    while (this.#isWanted && !this.#isAsking) {
      this.#isWanted = false
      this.#isAsking = true
      this.#ask()
    }
    this.#isRunning = false
  }

  #ask(): void {
    if (this.#direct === undefined) readByPromise(this.#iterator, this)
    else this.#direct[READ](this)
  }

  onFailure(error: unknown): void {
    this.#taker.failItems(error)
  }

  onItem(item: IteratorResult<Uint8Array>): void {
    this.#isAsking = item.done === true
    // Whoever takes an item may start us while he does: the next one comes when he is done.
    const isLooped = this.#isRunning
    this.#isRunning = true
    if (this.#taker.takeItem(item)) this.#isWanted = true
    this.#isRunning = isLooped
    if (this.#isWanted && !isLooped) this.#run()
  }
}
