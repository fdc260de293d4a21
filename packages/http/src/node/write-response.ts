import type { ServerResponse } from 'node:http'

import type { OutboundResponse } from '../inbound/response.js'

/**
 * Writes a response to one of node's, one write for each item of a stream, and asks for the next item only when the client
 * can take more. If the host has answered already, or the client is gone, nothing is written and the stream is closed.
 * Rejects only if node refuses the head.
 */
export async function writeResponse(res: ServerResponse, response: OutboundResponse, signal: AbortSignal): Promise<void> {
  const { status, headers, body } = response
  if (body === undefined || body instanceof Uint8Array) {
    if (isOver(res)) return
    res.writeHead(status, headers)
    if (body === undefined || res.req.method === 'HEAD') res.end()
    else res.end(body)
    return
  }
  const iterator = body[Symbol.asyncIterator]()
  try {
    if (isOver(res)) return
    res.writeHead(status, headers)
    if (res.req.method === 'HEAD') res.end()
    else await writeItems(res, iterator, signal)
  } finally {
    await iterator.return?.()
  }
}

async function writeItems(res: ServerResponse, iterator: AsyncIterator<Uint8Array>, signal: AbortSignal): Promise<void> {
  const flush = findFlush(res)
  let flow: Flow | undefined
  try {
    // Hot path: what a write costs beside the write is one `next()`. It settles when the signal aborts, so nothing races it.
    for (;;) {
      const item = await iterator.next()
      if (signal.aborted || isEnded(res)) return
      if (item.done === true) {
        res.end()
        return
      }
      const more = res.write(item.value)
      flush?.()
      if (more) continue
      flow ??= watchFlow(res, signal)
      await flow.resumed()
      if (signal.aborted || isEnded(res)) return
    }
  } finally {
    flow?.stop()
  }
}

interface Flow {
  /** Resolves when the client took what is written, or never will. */
  readonly resumed: () => Promise<void>
  readonly stop: () => void
}

/** Listens once for a whole response: some middleware patches `on` and forgets `off`. */
function watchFlow(res: ServerResponse, signal: AbortSignal): Flow {
  let wake: (() => void) | undefined
  const settle = () => wake?.()
  res.on('drain', settle)
  res.on('close', settle)
  return {
    resumed: () =>
      new Promise((resolve) => {
        wake = resolve
        if (signal.aborted || isEnded(res)) resolve()
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
