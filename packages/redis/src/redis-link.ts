import { untilAborted } from '@understudy/config'
import { ioRedisConnection, ioRedisSubscription, openIoRedis } from './io-redis.js'
import { nodeRedisConnection, nodeRedisSubscription, openNodeRedis } from './node-redis.js'
import type { EndSubscription, OwnConnection, RedisClient, RedisConnection } from './redis-client.js'
import { isIoRedis } from './redis-client.js'

/** What a source needs of Redis, for as long as the source lives. */
export interface RedisLink {
  /** Gives a command to the connection, and does not wait for its answer longer than the signal says. */
  readonly ask: (command: (connection: RedisConnection) => Promise<unknown>, signal: AbortSignal) => Promise<unknown>
  /** Hears a channel. */
  readonly subscribe: (channel: string, changed: () => void) => EndSubscription
  /** Closes what was opened here. */
  readonly close: () => void
}

/**
 * Asks the host's client, and puts a duplicate in its place when it leaves a command without an answer. A client can hang for good
 * where it takes itself for ready: `redis` before 5.11 if its server dies while it connects (redis/node-redis#3104), any client whose
 * connection was dropped in silence on the way. A duplicate that hangs is replaced in its turn, and so is what hears the channel.
 */
export function createRedisLink(client: RedisClient, subscriber: RedisClient | undefined): RedisLink {
  const watches = new Set<{ readonly restart: () => void; readonly end: () => void }>()
  let connection = connectionOf(client)
  let spare: OwnConnection | undefined
  /** It is replaced when it is needed again: what was aborted may have been the last that anybody wanted. */
  let isSilent = false
  let isClosed = false

  function replaceSilent(): void {
    if (!isSilent || isClosed) return
    isSilent = false
    const opened = openDuplicate(client)
    if (opened === undefined) return
    spare?.end()
    spare = opened
    connection = connectionOf(opened.client)
    for (const { restart } of watches) restart()
  }

  return {
    async ask(command, signal) {
      signal.throwIfAborted()
      replaceSilent()
      const asked = connection
      try {
        return await untilAborted(command(asked), signal)
      } catch (error) {
        if (signal.aborted && asked === connection) isSilent = true
        throw error
      }
    },
    subscribe(channel, changed) {
      const start = (): EndSubscription => (subscriber === undefined ? hearAlone(client, channel, changed) : hear(subscriber, channel, changed))
      let stop = start()
      const watch = {
        restart: () => {
          if (subscriber !== undefined) return
          stop()
          stop = start()
        },
        end: () => stop(),
      }
      watches.add(watch)
      return () => {
        if (watches.delete(watch)) watch.end()
      }
    },
    close() {
      isClosed = true
      for (const { end } of watches) end()
      watches.clear()
      spare?.end()
    },
  }
}

function connectionOf(client: RedisClient): RedisConnection {
  return isIoRedis(client) ? ioRedisConnection(client) : nodeRedisConnection(client)
}

function hear(client: RedisClient, channel: string, changed: () => void): EndSubscription {
  return isIoRedis(client) ? ioRedisSubscription(client, channel, changed) : nodeRedisSubscription(client, channel, changed)
}

/** With a connection of its own, which ends with it. */
function hearAlone(client: RedisClient, channel: string, changed: () => void): EndSubscription {
  const opened = openDuplicate(client)
  let isEnded = false
  // A client that gave up connecting hears nothing: the document is polled.
  opened?.connected.then(() => {
    if (!isEnded) hear(opened.client, channel, changed)
  }, () => undefined)
  return () => {
    isEnded = true
    opened?.end()
  }
}

function openDuplicate(client: RedisClient): (OwnConnection & { readonly client: RedisClient }) | undefined {
  try {
    const duplicate = client.duplicate()
    return { client: duplicate, ...(isIoRedis(duplicate) ? openIoRedis(duplicate) : openNodeRedis(duplicate)) }
  } catch {
    // It cannot be duplicated any more.
    return undefined
  }
}
