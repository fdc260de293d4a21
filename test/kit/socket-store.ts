import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { HealthStore } from '@understudy/core'
import { createMemoryStore } from '@understudy/core'

/** A memory that several processes reach over a socket: one JSON document a line, each way. */
export interface SocketStoreServer {
  readonly port: number
  /** Lets so much of the store's own time pass. */
  readonly elapse: (ms: number) => void
  /** How often it was asked, by method. */
  readonly asked: ReadonlyMap<string, number>
  readonly connections: () => number
  /** Ends it with every connection; what it knew stays, for `revive`. */
  readonly kill: () => Promise<void>
  /** Starts it again on the same port. */
  readonly revive: () => Promise<void>
}

interface Call {
  readonly id: number
  readonly method: keyof HealthStore
  readonly args: readonly unknown[]
}

interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: string
}

/** Starts the memory on loopback. Its time stands still unless it is told to pass. */
export async function startSocketStore(): Promise<SocketStoreServer> {
  let now = 0
  const memory = createMemoryStore({ now: () => now, random: () => 0.5 })
  const asked = new Map<string, number>()
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).once('close', () => sockets.delete(socket)))
    createInterface(socket).on('line', (line) => void reply(socket, JSON.parse(line) as Call))
  })
  await listen(0)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const { port } = address

  return {
    port,
    elapse: (ms) => void (now += ms),
    asked,
    connections: () => sockets.size,
    async kill() {
      if (!server.listening) return
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
    revive: () => listen(port),
  }

  async function listen(at: number): Promise<void> {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
  }

  async function reply(socket: Socket, { id, method, args }: Call): Promise<void> {
    asked.set(method, (asked.get(method) ?? 0) + 1)
    const call: (...given: readonly unknown[]) => Promise<unknown> = memory[method] as never
    const said: Reply = await call(...args).then((result) => ({ id, result }), (error: unknown) => ({ id, error: String(error) }))
    socket.write(`${JSON.stringify(said)}\n`)
  }
}

/** The same memory from another process. A connection that is lost fails its calls, and is made again with the next. */
export function connectStore(port: number): HealthStore & { readonly close: () => void } {
  const waiting = new Map<number, { readonly resolve: (value: never) => void, readonly reject: (error: Error) => void }>()
  let last = 0
  let socket: Socket | undefined

  return {
    read: (...args) => ask('read', args),
    admit: (...args) => ask('admit', args),
    settle: (...args) => ask('settle', args),
    rest: (...args) => ask('rest', args),
    restOf: (...args) => ask('restOf', args),
    close: () => socket?.destroy(),
  }

  function ask<Said>(method: keyof HealthStore, args: readonly unknown[]): Promise<Said> {
    return new Promise<Said>((resolve, reject) => {
      const id = ++last
      waiting.set(id, { resolve, reject })
      socket ??= open()
      socket.write(`${JSON.stringify({ id, method, args } satisfies Call)}\n`)
    })
  }

  function open(): Socket {
    const opened = connect(port, '127.0.0.1')
    opened.on('error', () => undefined).once('close', () => {
      socket = undefined
      for (const { reject } of waiting.values()) reject(new Error('the connection is lost'))
      waiting.clear()
    })
    createInterface(opened).on('line', (line) => {
      const { id, result, error } = JSON.parse(line) as Reply
      const call = waiting.get(id)
      waiting.delete(id)
      if (error === undefined) call?.resolve(result as never)
      else call?.reject(new Error(error))
    }).on('error', () => undefined)
    return opened
  }
}
