import { createServer } from 'node:net'
import { listenOn } from './listen-on.js'

/** A base URL on loopback where connections are refused: a port that was free a moment ago. */
export async function refusedUrl(): Promise<string> {
  const server = createServer()
  const port = await listenOn(server, 0, '127.0.0.1')
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/v1`
}
