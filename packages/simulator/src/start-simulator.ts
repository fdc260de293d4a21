import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { answerCall } from './answer-call.js'
import { createCallLog, type WaitOptions } from './call-log.js'
import { createStepChooser } from './choose-step.js'
import { listenOn } from './listen-on.js'
import { trackSockets } from './open-sockets.js'
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
  /** Serve HTTPS with this key and certificate (PEM), as from `selfSignedCertificate()`. Default: HTTP. */
  readonly tls?: { readonly key: string, readonly cert: string } | undefined
  /** How many calls the record keeps, the newest. Default: all; set it for runs that never reset. */
  readonly keepCalls?: number | undefined
  /** Called with each call as it is received. */
  readonly onCall?: ((call: ReceivedCall) => void) | undefined
}

/** A provider on loopback that does what its script says. */
export interface Simulator {
  /** The base URL for an OpenAI client: `http://127.0.0.1:<port>/v1`. */
  readonly url: string
  /** The same without a path, for Azure clients. */
  readonly origin: string
  readonly port: number
  /** What was received since the start or the last reset, in order. */
  readonly calls: readonly ReceivedCall[]
  /** The same of one model. */
  callsOf(model: string): readonly ReceivedCall[]
  /** TCP connections that are open now, those that clients keep for later included. */
  readonly openSockets: number
  /**
   * Takes another script; the counters and the record start anew. Calls in progress go on with the step they have.
   * Throws a `ScriptError`, and changes nothing, if the script is not valid.
   */
  setScript(script: Script): void
  /** Starts the counters and the record anew, with the same script. */
  reset(): void
  /**
   * The n-th call of a model since the last reset (the first is 1), as soon as it is received. Rejects after
   * `timeoutMs` (default 2000), saying what came instead.
   */
  waitForCall(model: string, number: number, options?: WaitOptions): Promise<ReceivedCall>
  /** Resolves when no connection is open. Rejects after `timeoutMs` (default 2000), saying how many are. */
  waitForNoSockets(options?: WaitOptions): Promise<void>
  /** Ends every connection and frees the port; resolves when that is done. May be called again. */
  close(): Promise<void>
}

/**
 * Starts a simulator. Throws a `ScriptError` for an invalid script, a `TypeError` for an option that there is none of, and the system's error
 * if the port is taken.
 */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  refuseUnknown(options)
  const { port = 0, host = '127.0.0.1', tls, onCall, keepCalls } = options
  let script = options.script === undefined ? undefined : parseScript(options.script)
  let steps = createStepChooser(script, Date.now)
  const log = createCallLog(keepCalls)
  let closed: Promise<void> | undefined

  const server = tls === undefined ? createServer() : createTlsServer({ key: tls.key, cert: tls.cert })
  // Whether a connection is kept is for the script and the client to say.
  Object.assign(server, { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 })
  const sockets = trackSockets(server)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => void receive(request, response))

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now()
    const socket = sockets.tcpSocketOf(request)
    const connection = sockets.numberOf(socket)
    const rawBody = await buffer(request).catch(() => undefined)
    // The caller left while it was still sending.
    if (rawBody === undefined) return
    const isClosing = () => closed !== undefined
    await answerCall({ request, response, rawBody, at, socket, connection, script, steps, log, isClosing, onCall })
  }

  function reset(): void {
    steps = createStepChooser(script, Date.now)
    log.clear()
  }

  const boundPort = await listenOn(server, port, host)
  const scheme = tls === undefined ? 'http' : 'https'
  const origin = `${scheme}://${host.includes(':') ? `[${host}]` : host}:${boundPort}`

  return {
    url: `${origin}/v1`,
    origin,
    port: boundPort,
    get calls() {
      return log.calls
    },
    callsOf: (model) => log.callsOf(model),
    get openSockets() {
      return sockets.size
    },
    setScript: (next) => {
      script = parseScript(next)
      reset()
    },
    reset,
    waitForCall: (model, number, wait) => log.waitFor(model, number, wait),
    waitForNoSockets: (wait) => sockets.waitForNone(wait),
    close: () => {
      closed ??= new Promise((resolve) => {
        log.close()
        server.close(() => resolve())
        sockets.destroyAll()
      })
      return closed
    },
  }
}

const OPTIONS: ReadonlySet<string> = new Set(['port', 'host', 'script', 'tls', 'keepCalls', 'onCall'])

/** What belongs into the script would be without effect beside it. */
function refuseUnknown(options: SimulatorOptions): void {
  const unknown = Object.keys(options).find((key) => !OPTIONS.has(key))
  if (unknown === undefined) return
  throw new TypeError(`startSimulator: unknown option '${unknown}'; it must be one of ${[...OPTIONS].join(', ')}, and what is played stands in 'script'`)
}
