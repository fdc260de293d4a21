import type { DirectIterator } from '@understudy/core'
import { directOf, READ } from '@understudy/core'

/** What is done with an item: whether the next is wanted at once. Told of the end too. Never throws. */
type Take = (item: IteratorResult<Uint8Array>) => boolean

/**
 * Asks for the items of a response's stream one at a time and hands each over, for as long as the taker wants more; items that are there
 * already make no call within a call. Hot: once an item.
 */
export class ItemPump {
  readonly #iterator: AsyncIterator<Uint8Array>
  readonly #direct: DirectIterator<Uint8Array> | undefined
  readonly #take: Take
  readonly #onError: (error: unknown) => void
  #isWanted = false
  /** Stays set when the stream is over. */
  #isAsking = false
  #isRunning = false

  constructor(iterator: AsyncIterator<Uint8Array>, take: Take, onError: (error: unknown) => void) {
    this.#iterator = iterator
    this.#direct = directOf(iterator)
    this.#take = take
    this.#onError = onError
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
    if (this.#direct !== undefined) {
      this.#direct[READ](this.#onItem, this.#onError)
      return
    }
    try {
      this.#iterator.next().then(this.#onItem, this.#onError)
    } catch (error) {
      this.#onError(error)
    }
  }

  readonly #onItem = (item: IteratorResult<Uint8Array>): void => {
    this.#isAsking = item.done === true
    if (this.#take(item)) this.#isWanted = true
    if (this.#isWanted && !this.#isRunning) this.#run()
  }
}
