// One process of the fleet: a server with the middleware, its chains in a store. Its parent tells it what to do and hears what it applied.
import { createServer } from 'node:http'
import { fallbackMiddleware } from '@understudy/express'
import { createFallback } from '@understudy/http'
import { postgresSource } from '@understudy/postgres'
import { redisSource } from '@understudy/redis'
import { Redis } from 'ioredis'
import pg from 'pg'
import { createClient } from 'redis'

const host = '127.0.0.1'
const ignore = () => undefined

const sources = {
  redis: (port) => {
    const client = createClient({ socket: { host, port } })
    client.on('error', ignore).connect().catch(ignore)
    return redisSource(client)
  },
  ioredis: (port) => redisSource(new Redis({ host, port }).on('error', ignore)),
  postgres: (port, user) => postgresSource(new pg.Pool({ host, port, user, database: 'postgres' }).on('error', ignore)),
}

const { driver, storePort, user, routes, providers, lastKnownGood } = JSON.parse(process.argv[2])
const source = sources[driver](storePort, user)
const fallback = createFallback(routes, { providers, chains: { source, lastKnownGood }, logger: silentLogger() })
fallback.on((event) => {
  if (event.type === 'chain-applied') process.send({ type: 'applied', version: event.version })
})

const middleware = fallbackMiddleware(fallback)
const server = createServer((request, response) => middleware(request, response, () => response.writeHead(404).end()))
server.listen(0, host, () => process.send({ type: 'ready', port: server.address().port }))

process.on('message', async ({ id, change, request }) => {
  try {
    process.send({ type: 'changed', id, result: await fallback.chains[change](request) })
  } catch (error) {
    process.send({ type: 'changed', id, failure: String(error) })
  }
})
// Without its parent there is nothing to do.
process.on('disconnect', () => process.exit())

function silentLogger() {
  return { debug: ignore, info: ignore, warn: ignore, error: ignore }
}
