import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Pool } from 'undici'
import type { CancellableDispatchOptions } from './cancellable-client.js'
import { CancellableClient } from './cancellable-client.js'

type Options = Dispatcher.ConnectOptions<unknown>
type Tunnel = Dispatcher.ConnectData<unknown>
type Callback = (error: Error | null, tunnel: Tunnel) => void

/**
 * The connections to a proxy, for tunnels through it. undici's own lets go of a tunnel as soon as the proxy has agreed to it, so that one
 * whose TLS handshake is silent is held for ten seconds, whoever gave up the attempt or closed the agent. Here the signal of `connect` ends a
 * tunnel at its socket, and `tunnels` holds the sockets of those that are open.
 */
export class TunnelClient extends Pool {
  readonly #tunnels: Set<Duplex>

  constructor(origin: URL, options: object, tunnels: Set<Duplex>) {
    super(origin, { ...options, factory: (proxyOrigin, clientOptions) => new CancellableClient(proxyOrigin, clientOptions) })
    this.#tunnels = tunnels
  }

  override connect<Opaque = null>(options: Dispatcher.ConnectOptions<Opaque>): Promise<Dispatcher.ConnectData<Opaque>>
  override connect<Opaque = null>(
    options: Dispatcher.ConnectOptions<Opaque>,
    callback: (error: Error | null, tunnel: Dispatcher.ConnectData<Opaque>) => void,
  ): void
  override connect(options: Options, callback?: Callback): Promise<Tunnel> | void {
    const tunnel = this.#open(options)
    if (callback === undefined) return tunnel
    tunnel.then((opened) => callback(null, opened), (error: unknown) => callback(error as Error, undefined as never))
  }

  async #open({ signal, ...options }: Options): Promise<Tunnel> {
    let cancel: (() => void) | undefined
    const cancellable: Options & Pick<CancellableDispatchOptions, 'onClient'> = { ...options, onClient: (given) => (cancel = given) }
    // Not undici's own way to abort: after that it connects to the proxy once more, for nobody.
    if (signal instanceof AbortSignal) signal.addEventListener('abort', () => cancel?.())
    const opening: unknown = super.connect(cancellable as never)
    const tunnel = await opening as Tunnel
    const { socket, statusCode } = tunnel
    if (statusCode !== 200) {
      socket.on('error', () => undefined).destroy()
      throw new ProxyRefusedError(statusCode)
    }
    this.#tunnels.add(socket)
    socket.once('close', () => this.#tunnels.delete(socket))
    return tunnel
  }
}

/** The proxy made no tunnel; the code says which status it answered with. */
class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError'
  readonly code: string

  constructor(status: number) {
    super(`the proxy answered ${status}`)
    this.code = `proxy_status_${status}`
  }
}
