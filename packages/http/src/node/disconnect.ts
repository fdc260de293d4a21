import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * A signal that aborts when the client is gone before its answer was written. It listens to the response, never to the
 * request: a request closes as soon as its body was read.
 */
export function watchDisconnect(req: IncomingMessage, res: ServerResponse): AbortSignal {
  const controller = new AbortController()
  if (res.closed || req.socket.destroyed) {
    if (!res.writableFinished) controller.abort()
    return controller.signal
  }
  const queued = res.socket === null ? watchQueue(req, res) : undefined
  res.once('close', () => {
    queued?.()
    if (!res.writableFinished) controller.abort()
  })
  return controller.signal
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
export function isDisconnect(error: unknown, req: IncomingMessage, signal: AbortSignal): boolean {
  if (!(error instanceof Error)) return false
  // A stream that fails takes the socket with it, so that its error is the socket's too; only the kernel's has a `syscall`. And
  // the parser has one of its own for a client that left while it sent.
  if (error === req.socket.errored) return 'syscall' in error || ('code' in error && error.code === 'HPE_INVALID_EOF_STATE')
  return signal.aborted && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}
