import type { ServerResponse } from 'node:http'

import type { OutboundResponse } from '../inbound/response.js'
import type { NodeClient } from './disconnect.js'

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

async function writeItems(res: ServerResponse, iterator: AsyncIterator<Uint8Array>, client: NodeClient): Promise<void> {
  const flush = findFlush(res)
  let flow: Flow | undefined
  try {
    // Hot path: what a write costs beside the write is one `next()`. It settles when the client leaves, so nothing races it.
    for (;;) {
      const item = await iterator.next()
      if (client.isGone() || isEnded(res)) return
      if (item.done === true) {
        end(res, client)
        return
      }
      const more = res.write(item.value)
      flush?.()
      if (more) continue
      flow ??= watchFlow(res, client)
      await flow.resumed()
      if (client.isGone() || isEnded(res)) return
    }
  } finally {
    flow?.stop()
  }
}

function end(res: ServerResponse, client: NodeClient): void {
  client.answered()
  res.end()
}

interface Flow {
  /** Resolves when the client took what is written, or never will. */
  readonly resumed: () => Promise<void>
  readonly stop: () => void
}

/** Listens once for a whole response: some middleware patches `on` and forgets `off`. */
function watchFlow(res: ServerResponse, client: NodeClient): Flow {
  let wake: (() => void) | undefined
  const settle = () => wake?.()
  res.on('drain', settle)
  res.on('close', settle)
  return {
    resumed: () =>
      new Promise((resolve) => {
        wake = resolve
        if (client.isGone() || isEnded(res)) resolve()
      }),
    stop: () => {
      res.off('drain', settle)
      res.off('close', settle)
    },
  }
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
