import type { IncomingMessage, ServerResponse } from 'node:http'

import { youngList } from '@understudy/core'

import type { Client } from '../inbound/client.js'

/** The client at the other end of one of node's responses, and what is known of our answer to it. */
export interface NodeClient extends Client {
  /** Aborts when the client is gone. Made when it is asked for. */
  signal(): AbortSignal
  /** Our answer is whole and handed over: if it is written too, the close behind it is no leaving. */
  answered(): void
  /** Nobody will read what we answer. */
  leave(): void
}

// The parser has one of its own for a client that left while it sent; over HTTP/2 a client may give any reason for its leaving.
const LEAVING_CODES: ReadonlySet<unknown> = new Set([
  'HPE_INVALID_EOF_STATE', 'ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_SESSION_ERROR',
])

// One for all, since making a reason is most of what an abort costs.
const GONE = new DOMException('the client has left, or the host has answered it', 'AbortError')

/**
 * Watches for a client to be gone. It listens to the response, never to the request: a request closes as soon as its body was
 * read. Every close tells, unless our own whole answer was written: else the host has answered.
 */
export function watchClient(req: IncomingMessage, res: ServerResponse): NodeClient {
  return new ResponseClient(req, res)
}

const NOBODY: readonly (() => void)[] = []

/** A class: one is made for every request, and an open stream holds it. */
class ResponseClient implements NodeClient {
  #isAnswered = false
  #isGone: boolean
  #listeners = NOBODY
  #controller: AbortController | undefined

  constructor(req: IncomingMessage, res: ServerResponse) {
    // HTTP/2 has no `closed` on a response; its socket is the stream.
    this.#isGone = res.closed || res.writableEnded || req.socket.destroyed
    if (this.#isGone) return
    const queued = res.socket === null ? watchQueue(req, res) : undefined
    // Not `once`, for which node makes an object that points to all of this, and may outlive it in the heap.
    const onClose = (): void => {
      res.off('close', onClose)
      queued?.()
      // Over HTTP/2 what was cut off counts as finished too, but not as ended.
      if (!this.#isAnswered || !res.writableEnded || !res.writableFinished) this.leave()
      // Nobody has to hear of it any more, and what a host and node hang on a response outlives it for a while in the heap.
      this.#listeners = NOBODY
    }
    res.on('close', onClose)
  }

  isGone(): boolean {
    return this.#isGone
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener()
    else this.#listeners = youngList(...this.#listeners, listener)
  }

  signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isGone) this.#controller.abort(GONE)
    return this.#controller.signal
  }

  answered(): void {
    this.#isAnswered = true
  }

  leave(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#controller?.abort(GONE)
    const listeners = this.#listeners
    this.#listeners = NOBODY
    for (const listener of listeners) listener()
  }
}

/**
 * Node tells only the response that owns the socket that it closed. A pipelined one that waits behind it would wait for ever,
 * and with it everything that a host hung on its `close`: so we pass the news on.
 */
function watchQueue({ socket }: IncomingMessage, res: ServerResponse): () => void {
  const pass = () => {
    if (res.socket !== null || res.closed) return
    res.destroy()
    res.emit('close')
  }
  // One listener for each request in the queue is no leak.
  const most = socket.getMaxListeners()
  if (most > 0) socket.setMaxListeners(most + 1)
  socket.once('close', pass)
  return () => {
    socket.off('close', pass)
    if (most > 0) socket.setMaxListeners(Math.max(1, socket.getMaxListeners() - 1))
  }
}

/** Whether an error says no more than that the client is gone: its socket's own, or that of a pipe which its leaving cut. */
export function isDisconnect(error: unknown, req: IncomingMessage, client: Client): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  const broken = req.socket.errored
  if (error === broken) return isOfKernel(error) || LEAVING_CODES.has(code)
  // A host may break off a stream for a socket that broke before the response is told of it.
  return code === 'ERR_STREAM_PREMATURE_CLOSE' && (client.isGone() || isOfKernel(broken))
}

/** A stream that fails takes the socket with it, so that its error is the socket's too; only the kernel's has a `syscall`. */
function isOfKernel(error: Error | null): boolean {
  return error !== null && 'syscall' in error
}
