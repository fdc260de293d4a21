import { migrate } from '@understudy/postgres'
import { Redis } from 'ioredis'
import pg from 'pg'
import { POSTGRES_USER, startPostgres } from '../../kit/postgres-server.js'
import { startRedis } from '../../kit/redis-server.js'
import type { ServerProcess } from '../../kit/server-process.js'

/** A store that a fleet shares. */
export interface Store {
  readonly name: string
  /** How the processes reach it, in turn. */
  readonly drivers: readonly string[]
  readonly user?: string | undefined
  readonly start: () => Promise<ServerProcess | { readonly skip: string }>
  /** What has to be there before the processes are. */
  readonly prepare: (port: number) => Promise<void>
  /** Puts a document there by hand: without a message to anybody. */
  readonly put: (port: number, document: string) => Promise<void>
}

async function withPool(port: number, work: (pool: pg.Pool) => Promise<unknown>): Promise<void> {
  const pool = new pg.Pool({ host: '127.0.0.1', port, user: POSTGRES_USER, database: 'postgres' })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

/** The stores that there are packages for. */
export const stores: readonly Store[] = [
  {
    name: 'Redis',
    drivers: ['redis', 'ioredis'],
    start: startRedis,
    prepare: async () => undefined,
    put: async (port, document) => {
      const client = new Redis({ host: '127.0.0.1', port })
      await client.set('understudy:chains', document)
      client.disconnect()
    },
  },
  {
    name: 'PostgreSQL',
    drivers: ['postgres'],
    user: POSTGRES_USER,
    start: startPostgres,
    prepare: (port) => withPool(port, (pool) => migrate(pool)),
    put: (port, document) => withPool(port, (pool) => pool.query('UPDATE understudy_chains SET document = $1', [document])),
  },
]
