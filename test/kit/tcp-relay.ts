import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

/** Stands between a client and its server, as a network does. */
export interface TcpRelay {
  readonly port: number
  /** Loses the connections there are without a word to the client: they stay open, and nothing comes through. New ones work. */
  readonly silence: () => void
  /** Takes every connection from now on, and lets nothing through. */
  readonly deafen: () => void
  /** How many of those are open. */
  readonly deaf: () => number
  readonly close: () => Promise<void>
}

export async function startTcpRelay(targetPort: number): Promise<TcpRelay> {
  const open = new Map<Socket, Socket>()
  const silent = new Set<Socket>()
  const deaf = new Set<Socket>()
  let isDeaf = false
  const server = createServer((client) => {
    if (isDeaf) {
      deaf.add(client)
      client.resume().on('error', () => undefined).on('close', () => deaf.delete(client))
      return
    }
    const target = connect(targetPort, '127.0.0.1')
    open.set(client, target)
    const end = (): void => {
      target.destroy()
      if (silent.has(client)) return
      client.destroy()
      open.delete(client)
    }
    for (const socket of [client, target]) socket.on('error', end).on('close', end)
    client.pipe(target).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  return {
    port: address.port,
    silence: () => {
      for (const [client, target] of open) {
        open.delete(client)
        silent.add(client)
        target.unpipe(client)
        target.destroy()
        // Read on, and to nowhere, so that nothing pushes back.
        client.unpipe(target).resume()
      }
    },
    deafen: () => {
      isDeaf = true
    },
    deaf: () => deaf.size,
    close: async () => {
      for (const socket of [...open.keys(), ...open.values(), ...silent, ...deaf]) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
