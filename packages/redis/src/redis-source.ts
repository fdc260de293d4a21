import type { ChainDocumentJson, ChainSource, DocumentWrite, HistoryEntry } from '@understudy/config'
import {
  checkSourceOptions,
  encodeDocument,
  identifyEntry,
  refuseTooLarge,
  TEXT,
  VersionConflictError,
  wholeNumber,
  writtenEntry,
} from '@understudy/config'
import { createHash } from 'node:crypto'
import type { RedisClient } from './redis-client.js'
import { isRedisClient } from './redis-client.js'
import { createRedisLink } from './redis-link.js'
import { historyOf, textOf } from './replies.js'
import { HISTORY_SCRIPT, RECORD_SCRIPT, TIME_SCRIPT, WRITE_SCRIPT } from './scripts.js'

/** Where in Redis the document stands. */
export interface RedisSourceOptions {
  /**
   * The key of the document, as JSON. Default `understudy:chains`. The history is the stream `<key>:history`, changes are published on
   * the channel `<key>:changed`. On a cluster: with a hash tag, `{understudy}:chains`, so that both keys are in one place.
   */
  readonly key?: string | undefined
  /**
   * A connection that is there for subscriptions already, of the same package as `client`; it is never closed. Default a duplicate of
   * `client`, which is closed with the source.
   */
  readonly subscriber?: RedisClient | undefined
  /** How many entries of the history are kept, at most. Default 500. */
  readonly maxHistory?: number | undefined
}

const CLIENT = { expected: 'a client of redis or ioredis', accepts: isRedisClient }
const OPTIONS = { client: CLIENT, subscriber: CLIENT, key: TEXT, maxHistory: wholeNumber(1, 100_000) }

/** A write that has not happened by then does not happen any more, whatever its client does. */
const WRITE_WITHIN_MS = 5_000

/** A document in Redis 5 or later, pushed at each change. `client` belongs to the host: it connects it, hears its errors and closes it. */
export function redisSource(client: RedisClient, options: RedisSourceOptions = {}): ChainSource {
  checkSourceOptions('redisSource', { ...options, client }, OPTIONS, ['client'])
  const { key = 'understudy:chains', subscriber, maxHistory = 500 } = options
  const historyKey = `${key}:history`
  const channel = `${key}:changed`
  const link = createRedisLink(client, subscriber)
  const run = (script: string, keys: readonly string[], args: readonly string[], signal: AbortSignal): Promise<unknown> =>
    link.ask((connection) => connection.run(script, keys, args, signal), signal)

  return {
    name: 'redis',
    read: async ({ etag, signal }) => {
      const text = textOf(await link.ask((connection) => connection.get(key, signal), signal))
      if (text === undefined) return { type: 'none' }
      refuseTooLarge(Buffer.byteLength(text))
      const read = createHash('sha256').update(text).digest('hex')
      return read === etag ? { type: 'unchanged' } : { type: 'document', document: text, etag: read }
    },
    watch: (changed) => link.subscribe(channel, changed),
    write: async (document, { expectedVersion, signal }: DocumentWrite) => {
      const text = encodeDocument(document)
      const now = Number(await run(TIME_SCRIPT, [key], [], signal))
      const entry = writtenEntry(document, undefined, Date.now())
      const { subject, entry: identity } = identifyEntry(entry)
      const until = now + WRITE_WITHIN_MS
      const args = [expectedVersion, text, JSON.stringify(entry), subject, identity, maxHistory, channel, until].map(String)
      const outcome = textOf(await run(WRITE_SCRIPT, [key, historyKey], args, signal))
      if (outcome === 'late') throw new Error('redis took too long; nothing was written')
      if (outcome !== 'written') throw new VersionConflictError(expectedVersion, Number(outcome))
    },
    record: async ({ previous, ...entry }: HistoryEntry, signal) => {
      const { subject, entry: identity } = identifyEntry({ previous, ...entry })
      const args = [JSON.stringify(entry), replaced(previous), subject, identity, String(maxHistory)]
      await run(RECORD_SCRIPT, [historyKey], args, signal)
    },
    history: async ({ limit, version, signal }) =>
      historyOf(await run(HISTORY_SCRIPT, [historyKey], [String(limit), version === undefined ? '' : String(version)], signal)),
    close: () => {
      link.close()
      return Promise.resolve()
    },
  }
}

function replaced(document: ChainDocumentJson | undefined): string {
  return document === undefined ? '' : JSON.stringify(document)
}
