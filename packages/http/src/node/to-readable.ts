import { Readable } from 'node:stream'

import type { OutboundResponse } from '../inbound/response.js'
import type { NodeClient } from './disconnect.js'

// What may lie here while a client has stopped reading. An item over it is handed on whole.
const HIGH_WATER_BYTES = 16 * 1024

/**
 * A node stream over a response's stream: each item is one chunk, one is asked for at a time, and none while the reader has
 * enough. Destroying it, or the client's leaving, closes the source, once, whether or not it was ever read.
 */
export function toReadable(source: AsyncIterable<Uint8Array>, client: NodeClient): Readable {
  const iterator = source[Symbol.asyncIterator]()
  let pulling = false

  async function pull(): Promise<void> {
    pulling = true
    try {
      let more = true
      while (more) {
        const item = await iterator.next()
        if (readable.destroyed) return
        if (item.done === true) client.answered()
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
      callback(error)
      // The stream is closed whether or not its source minds; there is no one left to tell.
      void Promise.resolve(iterator.return?.()).catch(() => undefined)
    },
  })
  // A host may never send it, or put something of its own in its place.
  client.onGone(() => void readable.destroy())
  return readable
}

/** The body of a response as Koa and Fastify take it. */
export function toPayload({ body }: OutboundResponse, client: NodeClient): Buffer | Readable {
  if (body !== undefined && !(body instanceof Uint8Array)) return toReadable(body, client)
  client.answered()
  return body === undefined ? Buffer.alloc(0) : Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}
