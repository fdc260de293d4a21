import type { ChainDocumentJson, ChainSource, DocumentWrite } from '@understudy/config'
import {
  checkSourceOptions,
  encodeDocument,
  MAX_DOCUMENT_BYTES,
  readHistoryEntry,
  storedVersion,
  TEXT,
  VersionConflictError,
  wholeNumber,
  writtenEntry,
} from '@understudy/config'
import { createHistoryTable } from './history-table.js'
import type { TableOptions } from './identifiers.js'
import { tableNames } from './identifiers.js'
import { createLender } from './lent-client.js'
import type { Listener } from './listen.js'
import { listen } from './listen.js'
import { POOL, TABLE_OPTIONS } from './migration.js'
import { tellingOfTables } from './missing-table.js'
import type { PostgresPool, RunQuery } from './postgres-client.js'
import { parse, textOf } from './rows.js'
import { inTransaction } from './transaction.js'

/** Where in PostgreSQL the document stands. */
export interface PostgresSourceOptions extends TableOptions {
  /** Which row: several services can share the table. Default `default`. */
  readonly name?: string | undefined
  /** How many entries of the history are kept for this name, at most. Default 500. */
  readonly maxHistory?: number | undefined
}

/** jsonb puts a space behind each colon and comma, so what may be written may be longer when it is read. */
const MAX_READ_BYTES = 2 * MAX_DOCUMENT_BYTES

const OPTIONS = { ...TABLE_OPTIONS, pool: POOL, name: TEXT, maxHistory: wholeNumber(1, 100_000) }

/**
 * A document in a row of PostgreSQL 12 or later, told of by NOTIFY at each change. `migrate` makes the tables. The pool belongs to the
 * host, who ends it, after what uses this source is closed: one of its clients is kept to listen.
 */
export function postgresSource(pool: PostgresPool, options: PostgresSourceOptions = {}): ChainSource {
  checkSourceOptions('postgresSource', { ...options, pool }, OPTIONS, ['pool'])
  const { name = 'default', maxHistory = 500, table, schema } = options
  const names = tableNames({ table, schema })
  const history = createHistoryTable(names, name, maxHistory)
  const listening = new Set<Listener>()
  const lend = createLender(pool, () => {
    for (const { renew } of listening) renew()
  })
  const withClient = tellingOfTables(lend, { table, schema })

  /** The version that stood in the way, or `undefined` if it is written. */
  async function replace(run: RunQuery, document: ChainDocumentJson, text: string, expected: number): Promise<number | undefined> {
    const [held] = await run(`SELECT document::text AS document FROM ${names.documents} WHERE name = $1 FOR UPDATE`, [name])
    const previous = parse(textOf(held, 'document'))
    if (storedVersion(previous) !== expected) return storedVersion(previous)
    const written =
      held === undefined
        ? `INSERT INTO ${names.documents} (name, document) VALUES ($1, $2::jsonb) ON CONFLICT (name) DO NOTHING RETURNING version`
        : `UPDATE ${names.documents} SET document = $2::jsonb, updated_at = now() WHERE name = $1 AND version = $3::bigint RETURNING version`
    const rows = await run(written, held === undefined ? [name, text] : [name, text, expected])
    if (rows.length === 0) {
      const [quicker] = await run(`SELECT document::text AS document FROM ${names.documents} WHERE name = $1`, [name])
      return storedVersion(parse(textOf(quicker, 'document')))
    }
    const entry = readHistoryEntry({ ...writtenEntry(document, undefined, Date.now()), previous })
    if (entry !== undefined) await history.add(run, entry, true)
    await run('SELECT pg_notify($1, $2)', [names.channel, name])
    return undefined
  }

  return {
    name: 'postgres',
    read: async ({ etag, signal }) => {
      const [row] = await withClient(signal, (run) =>
        run(
          `SELECT etag, CASE WHEN etag = $2 OR octet_length(document) > $3 THEN NULL ELSE document END AS document
          FROM (
            SELECT document::text AS document, encode(sha256(convert_to(document::text, 'UTF8')), 'hex') AS etag
            FROM ${names.documents} WHERE name = $1
          ) AS held`,
          [name, etag, MAX_READ_BYTES],
        ),
      )
      if (row === undefined) return { type: 'none' }
      const read = textOf(row, 'etag')
      if (etag !== undefined && read === etag) return { type: 'unchanged' }
      const document = textOf(row, 'document')
      if (document === undefined) throw new Error(`the document is larger than ${MAX_READ_BYTES} bytes`)
      return { type: 'document', document, etag: read }
    },
    watch: (changed) => {
      const listener = listen(pool, names.channel, name, changed)
      listening.add(listener)
      return () => {
        if (listening.delete(listener)) listener.end()
      }
    },
    write: async (document, { expectedVersion, signal }: DocumentWrite) => {
      const text = encodeDocument(document)
      const actual = await withClient(signal, (run) => inTransaction(run, () => replace(run, document, text, expectedVersion)))
      if (actual !== undefined) throw new VersionConflictError(expectedVersion, actual)
    },
    record: (entry, signal) => withClient(signal, (run) => inTransaction(run, () => history.add(run, entry, false))),
    history: ({ limit, version, signal }) => withClient(signal, (run) => history.list(run, { limit, version })),
    close: () => {
      for (const { end } of listening) end()
      listening.clear()
      return Promise.resolve()
    },
  }
}
