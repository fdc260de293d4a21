import type { EndSubscription, NodeRedisClient, RedisConnection } from './redis-client.js'

/** A client of the package `redis`. */
export function nodeRedisConnection(client: NodeRedisClient): RedisConnection {
  // Without it a command of a client that has lost its server waits in a queue, and is sent when nobody wants it any more.
  const until = (signal: AbortSignal): NodeRedisClient => client.withAbortSignal?.(signal) ?? client
  return {
    get: (key, signal) => until(signal).get(key),
    run: (script, keys, args, signal) => until(signal).eval(script, { keys: [...keys], arguments: [...args] }),
  }
}

/** Hears a channel. It subscribes again by itself after each loss of its connection, and tells then, since it may have missed something. */
export function nodeRedisSubscription(
  { connection, own }: { readonly connection: NodeRedisClient; readonly own: boolean },
  channel: string,
  changed: () => void,
): EndSubscription {
  const heard = (): void => changed()
  connection.on('ready', heard)
  if (own) connection.on('error', () => undefined)
  void listen()

  async function listen(): Promise<void> {
    try {
      if (own) {
        connection.unref?.()
        await connection.connect()
      }
      await connection.subscribe(channel, heard)
      changed()
    } catch {
      // The client has given up, or was closed: the document is polled.
    }
  }

  return () => {
    connection.off('ready', heard)
    if (own) end(connection)
    else connection.unsubscribe(channel, heard).catch(() => undefined)
  }
}

/** A client that is connecting knows nothing of its socket yet, so it is ended at what comes of that. */
function end(connection: NodeRedisClient): void {
  if (connection.isReady === false) {
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
