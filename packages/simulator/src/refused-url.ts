import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** A base URL on loopback where connections are refused: a port that was free a moment ago. */
export async function refusedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}/v1`
}
