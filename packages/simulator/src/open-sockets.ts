import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { WaitOptions } from './call-log.js'

/** The TCP connections of a server, numbered from 1 as they come. */
export interface OpenSockets {
  readonly size: number
  numberOf(socket: Socket): number
  /** The accepted socket of a request: under TLS another one than the request's own. */
  tcpSocketOf(request: IncomingMessage): Socket
  waitForNone(options?: WaitOptions): Promise<void>
  destroyAll(): void
}

export function trackSockets(server: Server): OpenSockets {
  const sockets = new Map<Socket, number>()
  const onEmpty = new Set<() => void>()
  let accepted = 0

  server.on('connection', (socket: Socket) => {
    accepted += 1
    sockets.set(socket, accepted)
    socket.setNoDelay(true)
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) for (const tell of onEmpty) tell()
    })
  })

  return {
    get size() {
      return sockets.size
    },
    numberOf: (socket) => sockets.get(socket) ?? 0,
    tcpSocketOf: ({ socket }) => {
      if (sockets.has(socket)) return socket
      const isSame = ({ remotePort, remoteAddress }: Socket) =>
        remotePort === socket.remotePort && remoteAddress === socket.remoteAddress
      return [...sockets.keys()].find(isSame) ?? socket
    },
    waitForNone: ({ timeoutMs = 2_000 } = {}) => new Promise((resolve, reject) => {
      if (sockets.size === 0) {
        resolve()
        return
      }
      const tell = () => {
        clearTimeout(timer)
        onEmpty.delete(tell)
        resolve()
      }
      const timer = setTimeout(() => {
        onEmpty.delete(tell)
        reject(new Error(`waitForNoSockets: ${sockets.size} still open after ${timeoutMs} ms`))
      }, timeoutMs)
      onEmpty.add(tell)
    }),
    destroyAll: () => {
      for (const socket of sockets.keys()) socket.destroy()
    },
  }
}
