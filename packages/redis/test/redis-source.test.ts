import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis-v5'
import { createClient } from 'redis'
import { createClient as createClient5 } from 'redis-v5'
import t from 'tap'
import { redisSource } from '@understudy/redis'
import type { RedisClient } from '@understudy/redis'
import { chainSourceContract } from '../../../test/kit/chain-source-contract.js'
import { deferred } from '../../../test/kit/deferred.js'
import { eventually } from '../../../test/kit/eventually.js'
import { startRedis } from '../../../test/kit/redis-server.js'
import { startTcpRelay } from '../../../test/kit/tcp-relay.js'
import { settled, until } from '../../../test/kit/until.js'
import { within } from '../../../test/kit/within.js'

const MAX_HISTORY = 12

const server = await startRedis()
const skip = 'skip' in server ? server.skip : undefined
const port = 'port' in server ? server.port : 0
if ('stop' in server) t.teardown(() => server.stop())

interface Connectable {
  connect(): Promise<unknown>
  destroy(): void
}

interface Closable {
  disconnect(): void
}

interface OpenClient {
  readonly client: RedisClient
  readonly close: () => void
}

const nodeRedis = (create: (host: string, port: number) => RedisClient & Connectable) => async (to = port): Promise<OpenClient> => {
  const client = create('127.0.0.1', to)
  client.on('error', () => undefined)
  await client.connect()
  return { client, close: () => client.destroy() }
}

const ioRedis = (create: (host: string, port: number) => RedisClient & Closable) => async (to = port): Promise<OpenClient> => {
  const client = create('127.0.0.1', to)
  client.on('error', () => undefined)
  return { client, close: () => client.disconnect() }
}

/** Each major version that is supported. */
const CLIENTS = {
  'redis 5': nodeRedis((host, to) => createClient5({ socket: { host, port: to } })),
  'redis 6': nodeRedis((host, to) => createClient({ socket: { host, port: to } })),
  'ioredis 5': ioRedis((host, to) => new Redis5({ host, port: to })),
  'ioredis 6': ioRedis((host, to) => new Redis({ host, port: to })),
}

let keys = 0

for (const [name, connect] of Object.entries(CLIENTS)) {
  chainSourceContract({
    name: `a Redis through ${name}`,
    skip,
    maxHistory: MAX_HISTORY,
    tellsWhenListening: true,
    makeHarness: async () => {
      if ('skip' in server) throw new Error(server.skip)
      keys += 1
      const key = `chains-${keys}`
      const relay = await startTcpRelay(port)
      const closing: (() => unknown)[] = [() => relay.close()]
      return {
        open: async () => {
          const { client, close } = await connect(relay.port)
          const source = redisSource(client, { key, maxHistory: MAX_HISTORY })
          closing.unshift(() => source.close?.(), close)
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
}

const soon = (): AbortSignal => AbortSignal.timeout(5_000)
const ROOT = new URL('../../..', import.meta.url)

t.test('options that are none, and what is no client, are refused', async (t) => {
  const wrong = (...args: readonly unknown[]): void => void Reflect.apply(redisSource, undefined, args)
  t.throws(() => wrong('redis://127.0.0.1'), { code: 'ERR_UNDERSTUDY_CONFIG', message: /redisSource\.client: is a string; expected a client of redis or ioredis/ })
  t.throws(() => wrong(createClient(), { kee: 'a' }), /redisSource\.kee: is no option; did you mean 'key'\?/)
  t.throws(() => wrong(createClient(), { key: '', subscriber: {} }), /redisSource\.key: is an empty string.*\n.*redisSource\.subscriber: is an object/)
  t.equal(redisSource(createClient()).name, 'redis')
})

for (const [name, connect] of Object.entries(CLIENTS)) {
  t.test(`through ${name}`, { skip: skip ?? false }, async (t) => {
    const raw = new Redis({ host: '127.0.0.1', port })
    const { client, close } = await connect()
    t.teardown(() => {
      close()
      raw.disconnect()
    })

    t.test('a document that a person set is read, compared with, and replaced if it is broken', async (t) => {
      const key = `${name}-by-hand`
      const source = redisSource(client, { key })
      const write = async (expectedVersion: number): Promise<void> => source.write?.({ version: 9 }, { expectedVersion, signal: soon() })
      await raw.set(key, ' {"version": 3}\n')
      t.match(await source.read({ signal: soon() }), { type: 'document', document: ' {"version": 3}\n' })
      await t.rejects(write(0), { code: 'version_conflict', message: /store holds 3/ })
      await write(3)
      for (const broken of ['', '{"version":', '[1]', 'null', '7', '{"version":"8"}', '{"version":1.5}', '{"version":-2}', '{}']) {
        await raw.set(key, broken)
        await t.rejects(write(9), { code: 'version_conflict', message: /store holds 0/ }, broken)
        await write(0)
        t.equal(await raw.get(key), '{"version":9}')
      }
    })

    t.test('what is too large, or no text, is a read that fails', async (t) => {
      const key = `${name}-unfit`
      const source = redisSource(client, { key })
      await raw.set(key, 'x'.repeat(1_048_577))
      await t.rejects(source.read({ signal: soon() }), /larger than 1048576 bytes/)
      await raw.del(key)
      await raw.lpush(key, 'a')
      await t.rejects(source.read({ signal: soon() }), /WRONGTYPE/)
      await raw.xadd(`${key}:history`, '*', 'entry', '{"outcome":', 'other', 'x')
      t.strictSame(await source.history?.({ limit: 5, signal: soon() }), [])
    })

    t.test('a write whose entry cannot be kept does not happen; one that nobody can be told of does', async (t) => {
      const key = `${name}-half`
      const source = redisSource(client, { key })
      const write = async (version: number): Promise<void> => source.write?.({ version }, { expectedVersion: version - 1, signal: soon() })
      await raw.set(`${key}:history`, 'no stream')
      await t.rejects(write(1), /WRONGTYPE/)
      t.equal(await raw.get(key), null)
      await raw.del(`${key}:history`)
      await raw.call('ACL', 'SETUSER', 'default', 'resetchannels')
      t.teardown(() => raw.call('ACL', 'SETUSER', 'default', 'allchannels'))
      await write(1)
      t.equal(await raw.get(key), '{"version":1}')
    })

    t.test('a write that its client sends when it is too late does not happen', async (t) => {
      const key = `${name}-late`
      // The last argument says until when.
      const late = (value: unknown): unknown => (Array.isArray(value) ? [...value.slice(0, -1), '1'] : value)
      const eval_ = (...args: unknown[]): unknown => {
        const [script, options, ...others] = args
        if (!String(script).includes('SET')) return Reflect.apply(client.eval, client, args)
        if (typeof options !== 'object' || options === null) return Reflect.apply(client.eval, client, [script, options, ...others.slice(0, -1), '1'])
        return Reflect.apply(client.eval, client, [script, { ...options, arguments: late(Reflect.get(options, 'arguments')) }])
      }
      const tardy = new Proxy(client, { get: (target, property) => {
        if (property === 'eval') return eval_
        if (property === 'withAbortSignal') return undefined
        const member: unknown = Reflect.get(target, property)
        return typeof member === 'function' ? member.bind(target) : member
      } })
      const write = redisSource(tardy, { key }).write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
      await t.rejects(write ?? Promise.resolve(), /too long; nothing was written/)
      t.equal(await raw.exists(key, `${key}:history`), 0)
    })

    t.test('a subscriber that was passed in is heard, and stays open', async (t) => {
      const key = `${name}-subscriber`
      const { client: subscriber, close } = await connect()
      t.teardown(close)
      const source = redisSource(client, { key, subscriber })
      let next = deferred()
      source.watch?.(() => next.resolve())
      await within(5_000, 'it hears', next.promise)
      await eventually('no other connection is there for it', async () => ((await listeners(raw)) === 1 ? true : undefined))
      next = deferred()
      await source.write?.({ version: 1 }, { expectedVersion: 0, signal: soon() })
      await within(5_000, 'it is told', next.promise)
      await source.close?.()
      await eventually('it is let go', async () => ((await listeners(raw)) === 0 ? true : undefined))
      t.match(await eventually('it can be used', () => redisSource(subscriber, { key }).read({ signal: soon() })), { type: 'document' })
    })

    t.test('a watch that is stopped at once leaves no connection', async (t) => {
      const source = redisSource(client, { key: `${name}-stopped` })
      const before = await accepted(raw)
      for (let round = 0; round < 5; round += 1) source.watch?.(() => undefined)()
      const made = await eventually('they were made', async () => {
        const connected = (await accepted(raw)) - before
        return connected === 0 ? undefined : connected
      }, 1_000).catch(() => 0)
      t.ok(made <= 5)
      await eventually('none is left', async () => ((await connections(raw)) <= 2 ? true : undefined))
    })

    t.test('a watch that ends while its connection waits for its first words leaves none', async (t) => {
      const relay = await startTcpRelay(port)
      const own = await connect(relay.port)
      t.teardown(async () => {
        own.close()
        await relay.close()
      })
      const source = redisSource(own.client, { key: `${name}-first-words` })
      await source.read({ signal: soon() })
      relay.deafen()
      source.watch?.(() => undefined)
      await until('its connection is made', () => relay.deaf() === 1)
      await settled()
      await source.close?.()
      await until('it is closed', () => relay.deaf() === 0)
    })

    t.test('a process ends beside a watch, once its own client is closed', async (t) => {
      const script = `
        import { createClient } from 'redis'
        import { Redis } from 'ioredis'
        import { redisSource } from '@understudy/redis'
        const client = process.argv[1] === 'redis'
          ? await createClient({ socket: { host: '127.0.0.1', port: ${port} } }).connect()
          : new Redis({ host: '127.0.0.1', port: ${port} })
        const source = redisSource(client)
        await new Promise((resolve) => source.watch(resolve))
        client.destroy ? client.destroy() : client.disconnect()
        console.log('closed')
      `
      const args = [...process.execArgv, '--input-type=module', '-e', script, '--', name]
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 20_000 })
      t.match(stdout, /closed/)
    })
  })
}

/** How many connections have a subscription. */
async function listeners(raw: Redis): Promise<number> {
  return String(await raw.call('CLIENT', 'LIST', 'TYPE', 'pubsub')).split('\n').filter((line) => line !== '').length
}

async function connections(raw: Redis): Promise<number> {
  return String(await raw.client('LIST')).trim().split('\n').length
}

/** How many connections there have been. */
async function accepted(raw: Redis): Promise<number> {
  return Number(/total_connections_received:(\d+)/.exec(await raw.info('stats'))?.[1])
}
