import type { Server } from 'node:net'

/** Listens, and tells on which port; rejects with the system's error if that cannot be done. */
export async function listenOn(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
