import { createHash } from 'node:crypto'

/** PostgreSQL cuts longer names, and two could become one. Bytes. */
const LONGEST_NAME = 63

const HISTORY = '_history'

/** Where the tables stand. */
export interface TableOptions {
  /** The table of the documents, one row for each name. The history is in `<table>_history`. Default `understudy_chains`. */
  readonly table?: string | undefined
  /** The schema that both are in; it has to exist. Default the first one of the connection's `search_path`. */
  readonly schema?: string | undefined
}

/** Names as they stand in a query, quoted. */
export interface TableNames {
  readonly documents: string
  readonly history: string
  /** The constraint of the history that keeps each entry once. */
  readonly identity: string
  /** What is listened on; unquoted. */
  readonly channel: string
}

/** Whether a text can name a table, with room for what is put behind it. */
export function isTableName(value: unknown): value is string {
  return isName(value) && Buffer.byteLength(value) + HISTORY.length + '_identity'.length <= LONGEST_NAME
}

/** Whether a text can name a schema. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0') && Buffer.byteLength(value) <= LONGEST_NAME
}

/** The names of both tables and of the channel. */
export function tableNames({ table = 'understudy_chains', schema }: TableOptions): TableNames {
  const within = (name: string): string => (schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`)
  return {
    documents: within(table),
    history: within(`${table}${HISTORY}`),
    identity: quoted(`${table}${HISTORY}_identity`),
    channel: shortened(schema === undefined ? table : `${schema}.${table}`),
  }
}

/** A name as it stands in a query. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function shortened(channel: string): string {
  if (Buffer.byteLength(channel) <= LONGEST_NAME) return channel
  return `understudy_${createHash('sha256').update(channel).digest('hex').slice(0, 32)}`
}
