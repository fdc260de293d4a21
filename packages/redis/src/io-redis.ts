import type { EndSubscription, IoRedisClient, OwnConnection, RedisConnection } from './redis-client.js'

/** A client of the package `ioredis`. */
export function ioRedisConnection(client: IoRedisClient): RedisConnection {
  return {
    get: (key) => client.get(key),
    run: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
  }
}

/** Connects a client that belongs to this source. `end` closes it, connected or not. */
export function openIoRedis(client: IoRedisClient): OwnConnection {
  client.on('error', () => undefined)
  client.on('connect', () => unrefSocket(client))
  const connected = Promise.resolve(client.status === 'wait' ? client.connect() : undefined)
  connected.catch(() => undefined)
  return { connected, end: () => void client.disconnect() }
}

/** Hears a channel, anew after each loss of its connection, and tells then, since it may have missed something. */
export function ioRedisSubscription(client: IoRedisClient, channel: string, changed: () => void): EndSubscription {
  const onMessage = (from: unknown): void => {
    if (from === channel) changed()
  }
  const listen = (): void => {
    client.subscribe(channel).then(changed, () => undefined)
  }
  client.on('message', onMessage)
  client.on('ready', listen)
  if (client.status === 'ready') listen()

  return () => {
    client.off('message', onMessage)
    client.off('ready', listen)
    client.unsubscribe(channel).catch(() => undefined)
  }
}

/** So that a process can end beside it. */
function unrefSocket({ stream }: IoRedisClient): void {
  if (typeof stream !== 'object' || stream === null || !('unref' in stream) || typeof stream.unref !== 'function') return
  Reflect.apply(stream.unref, stream, [])
}
