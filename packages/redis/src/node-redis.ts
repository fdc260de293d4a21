import type { EndSubscription, NodeRedisClient, OwnConnection, RedisConnection } from './redis-client.js'

/** A client of the package `redis`. */
export function nodeRedisConnection(client: NodeRedisClient): RedisConnection {
  // Without it a command of a client that has lost its server waits in a queue, and is sent when nobody wants it any more.
  const until = (signal: AbortSignal): NodeRedisClient => client.withAbortSignal?.(signal) ?? client
  return {
    get: (key, signal) => until(signal).get(key),
    run: (script, keys, args, signal) => until(signal).eval(script, { keys: [...keys], arguments: [...args] }),
  }
}

/** Connects a client that belongs to this source. Resolves when it is connected; `end` closes it, connected or not. */
export function openNodeRedis(client: NodeRedisClient): OwnConnection {
  let hasSocket = false
  client.on('error', () => (hasSocket = false))
  client.on('connect', () => (hasSocket = true))
  client.unref?.()
  const connected = Promise.resolve(client.connect())
  connected.catch(() => undefined)
  return { connected, end: () => end(client, hasSocket) }
}

/** Hears a channel. The client subscribes again by itself after each loss of its connection; this tells then, since something may be missed. */
export function nodeRedisSubscription(client: NodeRedisClient, channel: string, changed: () => void): EndSubscription {
  const heard = (): void => changed()
  client.on('ready', heard)
  // A client that has given up, or was closed, hears nothing: the document is polled.
  client.subscribe(channel, heard).then(heard, () => undefined)

  return () => {
    client.off('ready', heard)
    client.unsubscribe(channel, heard).catch(() => undefined)
  }
}

/**
 * A client that is connecting knows nothing of its socket yet, so it is ended at what comes of that; one that has its socket and waits for its
 * first words with the server is ended at once, since nothing else may come of them.
 */
function end(connection: NodeRedisClient, hasSocket: boolean): void {
  if (connection.isReady === false && !hasSocket) {
    connection.on('connect', () => destroy(connection))
    connection.on('error', () => destroy(connection))
  } else {
    destroy(connection)
  }
}

function destroy(connection: NodeRedisClient): void {
  try {
    connection.destroy()
  } catch {
    // It was closed already.
  }
}
