import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { answerCall } from './answer-call.js'
import { createCallLog, type WaitOptions } from './call-log.js'
import { createStepChooser } from './choose-step.js'
import type { ReceivedCall } from './record.js'
import { parseScript } from './script-schema.js'
import type { Script } from './script.js'

/** How a simulator starts. */
export interface SimulatorOptions {
  /** Default 0: a free port. */
  readonly port?: number | undefined
  /** Default `127.0.0.1`. The simulator has no protection; leave it on loopback. */
  readonly host?: string | undefined
  /** What it plays. Default: every model answers `HEALTHY_TEXT`. */
  readonly script?: Script | undefined
  /** Serve HTTPS with this key and certificate (PEM). Default: HTTP. */
  readonly tls?: { readonly key: string, readonly cert: string } | undefined
  /** Called with each call as it is received. */
  readonly onCall?: ((call: ReceivedCall) => void) | undefined
}

/** A provider on loopback that does what its script says. */
export interface Simulator {
  /** The base URL for an OpenAI client: `http://127.0.0.1:<port>/v1`. */
  readonly url: string
  /** The same without a path: for Azure's paths, and for other dialects. */
  readonly origin: string
  readonly port: number
  /** Everything that was received since the start or the last reset, in order. */
  readonly calls: readonly ReceivedCall[]
  callsOf(model: string): readonly ReceivedCall[]
  /** TCP connections that are open now. */
  readonly openSockets: number
  /** Takes another script; the counters and the record start anew. Calls in progress go on with their step. */
  setScript(script: Script): void
  /** Starts the counters and the record anew, with the same script. */
  reset(): void
  /**
   * The n-th call of a model (the first is 1), as soon as it is received. Rejects after `timeoutMs` (default 2000),
   * saying what came instead.
   */
  waitForCall(model: string, number: number, options?: WaitOptions): Promise<ReceivedCall>
  /** Resolves when no connection is open any more. Rejects after `timeoutMs` (default 2000). */
  waitForIdle(options?: WaitOptions): Promise<void>
  /** Ends every connection and frees the port; resolves when that is done. Can be called twice. */
  close(): Promise<void>
}

/** Starts a simulator. Throws a `ScriptError` if the script is not valid, and the system's error if the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { port = 0, host = '127.0.0.1', tls, onCall } = options
  let script = options.script === undefined ? undefined : parseScript(options.script)
  let steps = createStepChooser(script, Date.now)
  const log = createCallLog()
  const sockets = new Map<Socket, number>()
  let connections = 0

  const server = tls === undefined ? createServer() : createTlsServer({ key: tls.key, cert: tls.cert })
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  server.headersTimeout = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.set(socket, connections)
    socket.setNoDelay(true)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void receive(request, response))

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now()
    const socket = tcpSocketOf(request)
    const rawBody = await buffer(request).catch(() => undefined)
    if (rawBody === undefined) return
    await answerCall({
      request, response, rawBody, at, socket, script, steps, log, onCall,
      connection: sockets.get(socket) ?? 0,
    })
  }

  /** Under TLS the request's socket is not the one that was accepted; they share the caller's port. */
  function tcpSocketOf(request: IncomingMessage): Socket {
    if (sockets.has(request.socket)) return request.socket
    const { remotePort, remoteAddress } = request.socket
    const same = (socket: Socket) => socket.remotePort === remotePort && socket.remoteAddress === remoteAddress
    return [...sockets.keys()].find(same) ?? request.socket
  }

  function reset(): void {
    steps = createStepChooser(script, Date.now)
    log.clear()
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address() as AddressInfo
  const origin = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  let closing: Promise<void> | undefined

  return {
    url: `${origin}/v1`,
    origin,
    port: address.port,
    get calls() {
      return log.calls
    },
    callsOf: log.callsOf,
    get openSockets() {
      return sockets.size
    },
    setScript: (next) => {
      script = parseScript(next)
      reset()
    },
    reset,
    waitForCall: log.waitFor,
    waitForIdle: async (wait) => waitForIdle(sockets, wait),
    close: () => {
      closing ??= new Promise((resolve) => {
        log.close()
        server.close(() => resolve())
        for (const socket of sockets.keys()) socket.destroy()
      })
      return closing
    },
  }
}

async function waitForIdle(sockets: ReadonlyMap<Socket, number>, { timeoutMs = 2_000 }: WaitOptions = {}): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (sockets.size > 0) {
    if (Date.now() >= deadline) throw new Error(`waitForIdle: ${sockets.size} connections still open after ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
