import { Readable } from 'node:stream'

import type { OutboundResponse } from '../inbound/response.js'
import type { NodeClient } from './disconnect.js'
import type { ItemTaker } from './item-pump.js'
import { ItemPump } from './item-pump.js'

// What may lie here while a client has stopped reading. An item over it is handed on whole.
const HIGH_WATER_BYTES = 16 * 1024

/**
 * A node stream over a response's stream: each item is one chunk, one is asked for at a time, and none while the reader has
 * enough. Destroying it, or the client's leaving, closes the source, once, whether or not it was ever read.
 */
export function toReadable(source: AsyncIterable<Uint8Array>, client: NodeClient): Readable {
  const readable = new SourceReadable(source, client)
  // A host may never send it, or put something of its own in its place.
  client.onGone(() => void readable.destroy())
  return readable
}

const OPTIONS = { highWaterMark: HIGH_WATER_BYTES }

/**
 * A class: functions that are handed to a `Readable` become members of each one, and there is one for every open stream. What a host and
 * node hang on a stream outlives it for a while in the heap, so it lets go of its source as soon as that is over.
 */
class SourceReadable extends Readable implements ItemTaker {
  readonly #client: NodeClient
  #iterator: AsyncIterator<Uint8Array> | undefined
  #pump: ItemPump | undefined

  constructor(source: AsyncIterable<Uint8Array>, client: NodeClient) {
    super(OPTIONS)
    this.#client = client
    this.#iterator = source[Symbol.asyncIterator]()
    this.#pump = new ItemPump(this.#iterator, this)
  }

  override _read(): void {
    this.#pump?.start()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    callback(error)
    this.#close()
  }

  takeItem(item: IteratorResult<Uint8Array>): boolean {
    if (this.destroyed) return false
    try {
      if (item.done !== true) return this.push(item.value)
      this.#close()
      this.#client.answered()
      this.push(null)
    } catch (error) {
      // A listener of the host's threw: that ends its own response, and no more.
      this.failItems(error)
    }
    return false
  }

  failItems(error: unknown): void {
    this.destroy(error instanceof Error ? error : new Error('the stream of a response failed', { cause: error }))
  }

  #close(): void {
    const iterator = this.#iterator
    this.#iterator = undefined
    this.#pump = undefined
    // The stream is closed whether or not its source minds; there is no one left to tell.
    void Promise.resolve(iterator?.return?.()).catch(() => undefined)
  }
}

/** The body of a response as Koa and Fastify take it. */
export function toPayload({ body }: OutboundResponse, client: NodeClient): Buffer | Readable {
  if (body !== undefined && !(body instanceof Uint8Array)) return toReadable(body, client)
  client.answered()
  return body === undefined ? Buffer.alloc(0) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
