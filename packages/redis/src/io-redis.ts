import type { EndSubscription, IoRedisClient, RedisConnection } from './redis-client.js'

/** A client of the package `ioredis`. */
export function ioRedisConnection(client: IoRedisClient): RedisConnection {
  return {
    get: (key) => client.get(key),
    run: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
  }
}

/** Hears a channel, anew after each loss of its connection, and tells then, since it may have missed something. */
export function ioRedisSubscription(
  { connection, own }: { readonly connection: IoRedisClient; readonly own: boolean },
  channel: string,
  changed: () => void,
): EndSubscription {
  const onMessage = (from: unknown): void => {
    if (from === channel) changed()
  }
  const listen = (): void => {
    connection.subscribe(channel).then(changed, () => undefined)
  }
  connection.on('message', onMessage)
  connection.on('ready', listen)
  if (own) {
    connection.on('error', () => undefined)
    connection.on('connect', () => unrefSocket(connection))
  }
  if (connection.status === 'ready') listen()
  else if (connection.status === 'wait') connection.connect().catch(() => undefined)

  return () => {
    connection.off('message', onMessage)
    connection.off('ready', listen)
    if (own) connection.disconnect()
    else connection.unsubscribe(channel).catch(() => undefined)
  }
}

/** So that a process can end beside it. */
function unrefSocket({ stream }: IoRedisClient): void {
  if (typeof stream !== 'object' || stream === null || !('unref' in stream) || typeof stream.unref !== 'function') return
  Reflect.apply(stream.unref, stream, [])
}
