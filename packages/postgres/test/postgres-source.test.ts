import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'

import pg from 'pg'
import t from 'tap'
import { migrate, migrationSql, postgresSource } from '@understudy/postgres'
import { chainSourceContract } from '../../../test/kit/chain-source-contract.js'
import { deferred } from '../../../test/kit/deferred.js'
import { eventually } from '../../../test/kit/eventually.js'
import { POSTGRES_USER, startPostgres } from '../../../test/kit/postgres-server.js'
import { startTcpRelay } from '../../../test/kit/tcp-relay.js'
import { within } from '../../../test/kit/within.js'

const MAX_HISTORY = 12
const ROOT = new URL('../../..', import.meta.url)

const server = await startPostgres()
const skip = 'skip' in server ? server.skip : undefined
const port = 'port' in server ? server.port : 0
if ('stop' in server) t.teardown(() => server.stop())

const CONNECTION = { host: '127.0.0.1', port, user: POSTGRES_USER, database: 'postgres' }

function openPool(options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...CONNECTION, max: 5, ...options })
  pool.on('error', () => undefined)
  return pool
}

let names = 0

chainSourceContract({
  name: 'a PostgreSQL',
  skip,
  maxHistory: MAX_HISTORY,
  tellsWhenListening: true,
  makeHarness: async () => {
    if ('skip' in server) throw new Error(server.skip)
    names += 1
    const name = `service ${names}`
    const relay = await startTcpRelay(port)
    const closing: (() => unknown)[] = [() => relay.close()]
    return {
      open: async () => {
        const pool = openPool({ port: relay.port })
        await migrate(pool)
        const source = postgresSource(pool, { name, maxHistory: MAX_HISTORY })
        closing.unshift(async () => {
          await source.close?.()
          await pool.end()
        })
        return source
      },
      kill: server.kill,
      revive: server.revive,
      silence: relay.silence,
      close: async () => {
        for (const close of closing) await close()
      },
    }
  },
})

const soon = (): AbortSignal => AbortSignal.timeout(5_000)

t.test('options that are none, and what is no pool, are refused', async (t) => {
  const wrong = (...args: readonly unknown[]): void => void Reflect.apply(postgresSource, undefined, args)
  t.throws(() => wrong('postgres://127.0.0.1'), { code: 'ERR_UNDERSTUDY_CONFIG', message: /postgresSource\.pool: is a string; expected a pool of pg/ })
  const pool = openPool()
  t.throws(() => wrong(pool, { tabel: 'a' }), /postgresSource\.tabel: is no option; did you mean 'table'\?/)
  t.throws(() => wrong(pool, { table: 'a'.repeat(47) }), /postgresSource\.table: is a string; expected a name of at most 46 bytes/)
  t.throws(() => wrong(pool, { schema: 'a\0b' }), /postgresSource\.schema: is a string; expected a name/)
  t.equal(postgresSource(pool).name, 'postgres')
})

t.test('the migration is shipped as a file too', async (t) => {
  t.equal(readFileSync(new URL('packages/postgres/migration.sql', ROOT), 'utf8'), migrationSql())
})

t.test('in a database', { skip: skip ?? false }, async (t) => {
  const pool = openPool()
  t.teardown(() => pool.end())
  await migrate(pool)

  t.test('ten that migrate at once, and again, make the tables once and keep what is in them', async (t) => {
    const table = 'made_by_ten'
    const pools = Array.from({ length: 10 }, () => openPool({ max: 1 }))
    await Promise.all(pools.map((each) => migrate(each, { table })))
    await postgresSource(pool, { table }).write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
    await Promise.all(pools.map((each) => migrate(each, { table })))
    t.match(await postgresSource(pool, { table }).read({ signal: soon() }), { type: 'document' })
    await Promise.all(pools.map((each) => each.end()))
  })

  t.test('a table that is missing is said with what to do, and found when it is there', async (t) => {
    const place = { table: 'not_yet' }
    const source = postgresSource(pool, place)
    const said = { message: 'the table not_yet or not_yet_history is missing: run migrate(pool)' }
    await t.rejects(source.read({ signal: soon() }), said)
    await t.rejects(source.write?.({ version: 1 }, { expectedVersion: 0, signal: soon() }) ?? Promise.resolve(), said)
    await migrate(pool, place)
    t.strictSame(await source.read({ signal: soon() }), { type: 'none' })
  })

  t.test('who may only use the tables migrates and uses them', async (t) => {
    await pool.query('CREATE ROLE clerk LOGIN; GRANT SELECT, INSERT, UPDATE, DELETE ON understudy_chains, understudy_chains_history TO clerk')
    const own = openPool({ user: 'clerk' })
    t.teardown(() => own.end())
    await migrate(own)
    await t.rejects(migrate(own, { table: 'missing' }), { code: '42501' })
    await postgresSource(own, { name: 'clerk' }).write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
  })

  t.test('names are quoted, whatever is in them', async (t) => {
    await pool.query('CREATE SCHEMA "Odd ""schema"""')
    const place = { schema: 'Odd "schema"', table: `chains"; DROP TABLE understudy_chains; --` }
    await migrate(pool, place)
    const source = postgresSource(pool, { ...place, name: `it's` })
    t.teardown(() => source.close?.())
    let next = deferred()
    source.watch?.(() => next.resolve())
    await within(5_000, 'it hears', next.promise)
    next = deferred()
    await source.write?.({ version: 1, reason: `o'clock` }, { expectedVersion: 0, signal: soon() })
    await within(5_000, 'it is told', next.promise)
    t.match(await source.read({ signal: soon() }), { document: `{"reason": "o'clock", "version": 1}` })
    t.match(await source.history?.({ limit: 1, signal: soon() }), [{ version: 1, reason: `o'clock` }])
    t.equal((await pool.query('SELECT FROM understudy_chains WHERE false')).rowCount, 0, 'the other table is there')
    const long = { schema: 's'.repeat(63), table: 't'.repeat(46) }
    await pool.query(`CREATE SCHEMA ${long.schema}`)
    await migrate(pool, long)
    await postgresSource(pool, long).write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
  })

  t.test('a service has a row of its own, and is told of that only', async (t) => {
    const [one, other] = [postgresSource(pool, { name: 'one' }), postgresSource(pool, { name: 'other' })]
    t.teardown(() => one.close?.())
    let told = 0
    let next = deferred()
    one.watch?.(() => {
      told += 1
      next.resolve()
    })
    await within(5_000, 'it hears', next.promise)
    await other.write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
    next = deferred()
    await one.write?.({ version: 7 }, { expectedVersion: 0, signal: soon() })
    await within(5_000, 'it is told', next.promise)
    t.equal(told, 2)
    t.match(await other.read({ signal: soon() }), { document: '{"version": 1}' })
    t.match(await other.history?.({ limit: 9, signal: soon() }), [{ version: 1 }])
  })

  t.test('a document that a person set is read, compared with, and replaced if it is broken', async (t) => {
    const name = 'by hand'
    const source = postgresSource(pool, { name })
    const set = (document: string): Promise<unknown> =>
      pool.query(`INSERT INTO understudy_chains (name, document) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET document = $2`, [name, document])
    const write = async (expectedVersion: number): Promise<void> => source.write?.({ version: 9 }, { expectedVersion, signal: soon() })
    await set('{"version": 3}')
    await t.rejects(write(0), { code: 'version_conflict', message: /store holds 3/ })
    await write(3)
    for (const broken of ['[1]', 'null', '7', '{"version":"8"}', '{"version":1.5}', '{"version":-2}', '{"version":1e300}', '{}']) {
      await set(broken)
      await t.rejects(write(9), { code: 'version_conflict', message: /store holds 0/ }, broken)
      await write(0)
      t.match(await source.read({ signal: soon() }), { document: '{"version": 9}' })
    }
    await set(JSON.stringify({ version: 10, reason: 'x'.repeat(2_097_152) }))
    await t.rejects(source.read({ signal: soon() }), /larger than 2097152 bytes/)
  })

  t.test('a rejected document that a table cannot hold as a value is in the history still', async (t) => {
    const source = postgresSource(pool, { name: 'odd text' })
    const document = { version: 1, reason: 'a\0b\ud800' }
    const entry = { version: 1, outcome: 'rejected', actor: undefined, reason: document.reason, document, previous: undefined, issues: ['odd'], at: 1 } as const
    await source.record?.(entry, soon())
    t.strictSame(await source.history?.({ limit: 1, signal: soon() }), [entry])
  })

  t.test('a writer that waits for a lock gives up in time, and holds no client and no lock after that', async (t) => {
    const name = 'locked'
    const small = openPool({ max: 1 })
    t.teardown(() => small.end())
    const source = postgresSource(small, { name })
    await source.write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
    const holder = await pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM understudy_chains WHERE name = $1 FOR UPDATE', [name])
    const write = (signal: AbortSignal) => async () => source.write?.({ version: 2 }, { expectedVersion: 1, signal })
    await t.rejects(write(AbortSignal.timeout(200)), { name: 'TimeoutError' })
    t.match(await source.read({ signal: soon() }), { document: '{"version": 1}' }, 'the pool of one has a client again')
    await holder.query('COMMIT')
    holder.release()
    await write(soon())()
    t.match(await source.read({ signal: soon() }), { document: '{"version": 2}' })
  })

  t.test('a connection that breaks under a call is a call that fails, and nothing more', async (t) => {
    const name = 'cut'
    const own = openPool({ max: 1, application_name: 'cut under a call' })
    t.teardown(() => own.end())
    const source = postgresSource(own, { name })
    await source.write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
    const holder = await pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM understudy_chains WHERE name = $1 FOR UPDATE', [name])
    holder.on('error', () => undefined)
    const failed = t.rejects(async () => source.write?.({ version: 2 }, { expectedVersion: 1, signal: soon() }), /Connection terminated|ECONNRESET/)
    await eventually('it waits', async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`
      return (await pool.query(waiting, ['cut under a call'])).rows[0]
    })
    if ('kill' in server) await server.kill()
    await failed
    holder.release(true)
    if ('revive' in server) await server.revive()
    t.match(await source.read({ signal: soon() }), { document: '{"version": 1}' })
  })

  t.test('a pool that gives no client is asked for one at a time, and gets back what comes late', async (t) => {
    const small = openPool({ max: 1 })
    t.teardown(() => small.end())
    const source = postgresSource(small, { name: 'starved' })
    const holder = await small.connect()
    for (let round = 0; round < 5; round += 1) {
      await t.rejects(source.read({ signal: AbortSignal.timeout(30) }), { name: 'TimeoutError' })
    }
    t.equal(small.waitingCount, 1)
    holder.release()
    await eventually('the pool has its client', async () => (small.idleCount === 1 ? true : undefined))
    t.match(await source.read({ signal: soon() }), { type: 'none' })
    t.equal(small.totalCount, 1)
  })

  t.test('a listener that the server throws out comes back', async (t) => {
    const name = 'thrown out'
    const source = postgresSource(pool, { name })
    t.teardown(() => source.close?.())
    let next = deferred()
    source.watch?.(() => next.resolve())
    await within(5_000, 'it hears', next.promise)
    for (let round = 0; round < 2; round += 1) {
      next = deferred()
      const { rows } = await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`)
      t.ok(rows.length > 0)
      await within(5_000, 'it hears again', next.promise)
    }
    next = deferred()
    await source.write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
    await within(5_000, 'it is told', next.promise)
  })

  t.test('a watch that is stopped at once leaves no client', async (t) => {
    const own = openPool()
    const source = postgresSource(own)
    for (let round = 0; round < 5; round += 1) source.watch?.(() => undefined)()
    await within(5_000, 'the pool ends', own.end())
    t.equal(own.totalCount, 0)
  })

  t.test('a process ends beside a watch', async (t) => {
    const script = `
      import pg from 'pg'
      import { postgresSource } from '@understudy/postgres'
      const pool = new pg.Pool({ ...${JSON.stringify(CONNECTION)}, allowExitOnIdle: true })
      const source = postgresSource(pool)
      const stay = setInterval(() => undefined, 1_000)
      await new Promise((resolve) => source.watch(resolve))
      clearInterval(stay)
      console.log('hears')
    `
    const args = [...process.execArgv, '--input-type=module', '-e', script]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 20_000 })
    t.match(stdout, /hears/)
  })
})
