import { Socket } from 'node:net'
import type { buildConnector, Dispatcher } from 'undici'
import { Client } from 'undici'

type Connector = buildConnector.connector

/** What a request may carry beside what undici knows: it is told how to end its connection. */
export interface CancellableDispatchOptions extends Dispatcher.DispatchOptions {
  /** `cancel` may be called until the answer has ended, and not after: the connection is another request's then. */
  readonly onClient?: ((cancel: () => void) => void) | undefined
}

/**
 * A client whose request can be ended at the socket, whatever its phase. undici hands out a controller only once a
 * connection is ready, so an attempt given up while connecting would keep a socket in SYN_SENT until the system
 * is tired of it; and after its abort it connects anew, for nobody. A client has one request at a time, so this ends
 * nobody else's.
 */
export class CancellableClient extends Client {
  readonly #connection: Connection

  constructor(origin: URL, options: object) {
    const connection = cancellableConnection('connect' in options ? options.connect : undefined)
    super(origin, { ...options, connect: connection.connect })
    this.#connection = connection
  }

  override dispatch(options: CancellableDispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.onClient?.(this.#connection.cancel)
    return super.dispatch(options, handler)
  }
}

interface Connection {
  readonly connect: Connector
  /** Ends the connection, or the making of it. */
  readonly cancel: () => void
}

function cancellableConnection(base: unknown): Connection {
  if (typeof base !== 'function') throw new TypeError('a pool hands its connector to its clients')
  let stop: (() => void) | undefined

  function connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    const controller = new AbortController()
    let settled = false

    function settle(error: Error | null, socket?: Socket | null): void {
      if (settled) {
        socket?.destroy()
        return
      }
      settled = true
      if (socket === undefined || socket === null) {
        stop = undefined
        callback(new ConnectFailedError('connecting failed', { cause: error }), null)
        return
      }
      stop = endingOf(socket)
      callback(null, socket)
    }

    // undici's own connector gives its socket back; that of a proxy's agent takes a signal.
    const connecting: unknown = Reflect.apply(base as (...args: unknown[]) => unknown, undefined, [
      { ...options, signal: controller.signal },
      settle,
    ])
    if (settled) return
    stop = () => {
      settle(new CancelledError('the attempt is over'))
      controller.abort()
      if (connecting instanceof Socket) connecting.destroy()
    }
  }

  return { connect, cancel: () => stop?.() }
}

/** Made out here, so that a connection does not keep alive for as long as it lives what making it took. */
function endingOf(socket: Socket): () => void {
  return () => socket.destroy(new CancelledError('the attempt is over'))
}

/** Has no code of undici's own: after those it takes the connection for a used one, and connects again and again. */
class ConnectFailedError extends Error {
  override readonly name = 'ConnectFailedError'
}

class CancelledError extends Error {
  override readonly name = 'CancelledError'
}
