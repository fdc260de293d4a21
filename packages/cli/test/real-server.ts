import { adminMiddleware } from '@understudy/admin/express'
import { createFallback, fileSource } from '@understudy/http'
import { startSimulator } from '@understudy/simulator'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** What lets a request in. */
export const TOKEN = 'canary-token-5e3f'

const fails = {
  name: 'broken',
  // eslint-disable-next-line require-yield -- it fails before there is anything to yield
  async* open(): AsyncGenerator<string> {
    throw new Error('no')
  },
}

/** A server with the middleware's own `Fallback` and its control surface, which lets in who has the token. */
export async function serve(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'understudy-cli-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const simulator = await startSimulator()
  t.teardown(() => simulator.close())
  const provider = { dialect: 'openai' as const, baseURL: simulator.url }
  const fallback = createFallback(
    {
      chat: {
        presets: {
          normal: ['large/large', 'small/small'],
          skip_large: ['small/small'],
          local_only: { legs: ['local/local', fails], marking: 'local model' },
        },
      },
      support: ['large/large'],
    },
    {
      providers: { large: provider, small: provider, local: provider },
      chains: { source: fileSource({ path: join(folder, 'chains.json'), write: true }) },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    },
  )
  const authorize = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) => (headers['authorization'] === `Bearer ${TOKEN}` ? {} : false)
  const admin = adminMiddleware(fallback, { authorize })
  const server = createServer((req, res) => {
    req.url = (req.url ?? '').replace(/^\/understudy/, '')
    admin(req, res, () => void res.writeHead(404).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    await fallback.close()
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}/understudy`
}
