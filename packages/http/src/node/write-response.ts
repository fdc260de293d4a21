import type { ServerResponse } from 'node:http'

import type { OutboundResponse } from '../inbound/response.js'
import type { NodeClient } from './disconnect.js'
import type { ItemTaker } from './item-pump.js'
import { ItemPump } from './item-pump.js'

/**
 * Writes a response to one of node's, one write for each item of a stream, and asks for the next item only when the client
 * can take more. If the host has answered already, or the client is gone, nothing is written and the stream is closed.
 * Rejects only if node refuses the head.
 */
export async function writeResponse(res: ServerResponse, response: OutboundResponse, client: NodeClient): Promise<void> {
  const { status, headers, body } = response
  if (body === undefined || body instanceof Uint8Array) {
    if (client.isGone() || isOver(res)) return
    res.writeHead(status, headers)
    client.answered()
    if (body === undefined || res.req.method === 'HEAD') res.end()
    else res.end(body)
    return
  }
  const iterator = body[Symbol.asyncIterator]()
  try {
    if (client.isGone() || isOver(res)) return
    res.writeHead(status, headers)
    if (res.req.method === 'HEAD') end(res, client)
    else await writeItems(res, iterator, client)
  } finally {
    await iterator.return?.()
  }
}

function writeItems(res: ServerResponse, iterator: AsyncIterator<Uint8Array>, client: NodeClient): Promise<void> {
  return new Promise((resolve, reject) => new ItemWriter(res, iterator, client, resolve, reject).start())
}

/** A class: an open stream holds one. Hot: `takeItem` once an item. */
class ItemWriter implements ItemTaker {
  readonly #res: ServerResponse
  readonly #client: NodeClient
  readonly #flush: (() => void) | undefined
  readonly #pump: ItemPump
  readonly #resolve: () => void
  readonly #reject: (error: unknown) => void
  #isWatching = false

  constructor(
    res: ServerResponse,
    iterator: AsyncIterator<Uint8Array>,
    client: NodeClient,
    resolve: () => void,
    reject: (error: unknown) => void,
  ) {
    this.#res = res
    this.#client = client
    this.#flush = findFlush(res)
    this.#resolve = resolve
    this.#reject = reject
    this.#pump = new ItemPump(iterator, this)
  }

  start(): void {
    this.#pump.start()
  }

  // A read settles when the client leaves, so nothing races it.
  takeItem(item: IteratorResult<Uint8Array>): boolean {
    try {
      if (this.#isOver()) return this.#finish()
      if (item.done === true) {
        end(this.#res, this.#client)
        return this.#finish()
      }
      const more = this.#res.write(item.value)
      this.#flush?.()
      if (more) return true
      this.#watchFlow()
      return this.#isOver() && this.#finish()
    } catch (error) {
      this.failItems(error)
      return false
    }
  }

  /** Listens once for a whole response: some middleware patches `on` and forgets `off`. */
  #watchFlow(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    this.#res.on('drain', this.#resume)
    this.#res.on('close', this.#resume)
  }

  /** The client took what is written, or never will. */
  readonly #resume = (): void => {
    if (this.#isOver()) this.#finish()
    else this.#pump.start()
  }

  #isOver(): boolean {
    return this.#client.isGone() || isEnded(this.#res)
  }

  #finish(): false {
    this.#stop()
    this.#resolve()
    return false
  }

  failItems(error: unknown): void {
    this.#stop()
    this.#reject(error)
  }

  #stop(): void {
    if (!this.#isWatching) return
    this.#res.off('drain', this.#resume)
    this.#res.off('close', this.#resume)
  }
}

function end(res: ServerResponse, client: NodeClient): void {
  client.answered()
  res.end()
}

function isEnded(res: ServerResponse): boolean {
  return res.writableEnded || res.destroyed
}

function isOver(res: ServerResponse): boolean {
  return res.headersSent || isEnded(res)
}

/** Compression adds a `flush` to the response itself; an inherited one would be node's own, deprecated. */
function findFlush(res: ServerResponse): (() => void) | undefined {
  if (!Object.hasOwn(res, 'flush')) return undefined
  const flush: unknown = Reflect.get(res, 'flush')
  return typeof flush === 'function' ? () => void Reflect.apply(flush, res, []) : undefined
}
