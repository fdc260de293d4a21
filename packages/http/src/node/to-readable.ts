import { Readable } from 'node:stream'

import type { OutboundResponse } from '../inbound/response.js'

// What may lie here while a client has stopped reading. An item over it is handed on whole.
const HIGH_WATER_BYTES = 16 * 1024

/**
 * A node stream over a response's stream: each item is one chunk, one is asked for at a time, and none while the reader has
 * enough. Destroying it, or the signal, closes the source, once.
 */
export function toReadable(source: AsyncIterable<Uint8Array>, signal: AbortSignal): Readable {
  const iterator = source[Symbol.asyncIterator]()
  let pulling = false

  async function pull(): Promise<void> {
    pulling = true
    try {
      let more = true
      while (more) {
        const item = await iterator.next()
        if (readable.destroyed) return
        more = readable.push(item.done === true ? null : item.value) && item.done !== true
      }
    } catch (error) {
      readable.destroy(error instanceof Error ? error : new Error('the stream of a response failed', { cause: error }))
    } finally {
      pulling = false
    }
  }

  const readable = new Readable({
    highWaterMark: HIGH_WATER_BYTES,
    read() {
      if (!pulling) void pull()
    },
    destroy(error, callback) {
      signal.removeEventListener('abort', leave)
      callback(error)
      // The stream is closed whether or not its source minds; there is no one left to tell.
      void Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  })
  const leave = () => void readable.destroy()
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return readable
}

/** The body of a response as Koa and Fastify take it. */
export function toPayload({ body }: OutboundResponse, signal: AbortSignal): Buffer | Readable {
  if (body === undefined) return Buffer.alloc(0)
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  return toReadable(body, signal)
}
