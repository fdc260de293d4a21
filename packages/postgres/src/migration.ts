import { checkSourceOptions } from '@understudy/config'
import { createHash } from 'node:crypto'
import type { TableOptions } from './identifiers.js'
import { isName, isTableName, tableNames } from './identifiers.js'
import { createLender } from './lent-client.js'
import type { PostgresPool } from './postgres-client.js'
import { isPool } from './postgres-client.js'
import { columnOf } from './rows.js'

/** The options that name the tables. */
export const TABLE_OPTIONS = {
  table: { expected: 'a name of at most 46 bytes', accepts: isTableName },
  schema: { expected: 'a name of at most 63 bytes', accepts: isName },
}

/** A pool, as options are checked. */
export const POOL = { expected: 'a pool of pg', accepts: isPool }

/**
 * The tables, for who runs migrations with tools of their own; `migration.sql` in this package is the same with the default names. It
 * can run again and again.
 */
export function migrationSql(options: TableOptions = {}): string {
  checkSourceOptions('migrationSql', options, TABLE_OPTIONS)
  const { documents, history, identity } = tableNames(options)
  return `-- The live documents, one row for each name. The version is the document's own: 0 where it has none.
CREATE TABLE IF NOT EXISTS ${documents} (
  name text PRIMARY KEY,
  document jsonb NOT NULL,
  version bigint NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN jsonb_typeof(document -> 'version') IS DISTINCT FROM 'number' THEN 0
      WHEN (document ->> 'version')::numeric NOT BETWEEN 1 AND 9007199254740991 THEN 0
      WHEN (document ->> 'version')::numeric % 1 <> 0 THEN 0
      ELSE (document ->> 'version')::numeric::bigint
    END
  ) STORED,
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- What became of each document, oldest first by id. 'written': noted by a writer, and judged by no process yet.
CREATE TABLE IF NOT EXISTS ${history} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  version bigint,
  subject text NOT NULL,
  identity text NOT NULL,
  written boolean NOT NULL DEFAULT false,
  entry json NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT ${identity} UNIQUE (name, identity)
);
`
}

/**
 * Creates the tables where they are not there yet. Any number of processes may do that at once. Only where one is missing the role
 * needs the right to create tables in the schema.
 */
export async function migrate(pool: PostgresPool, options: TableOptions = {}): Promise<void> {
  checkSourceOptions('migrate', { ...options, pool }, { ...TABLE_OPTIONS, pool: POOL }, ['pool'])
  const sql = migrationSql(options)
  const { documents, history } = tableNames(options)
  await createLender(pool)(new AbortController().signal, async (run) => {
    const [found] = await run('SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS both', [documents, history])
    if (columnOf(found, 'both') === true) return
    await run('BEGIN')
    // IF NOT EXISTS alone lets two creators collide.
    await run('SELECT pg_advisory_xact_lock($1::bigint)', [lockOf(documents)])
    await run(sql)
    await run('COMMIT')
  })
}

function lockOf(table: string): string {
  return createHash('sha256').update(`understudy ${table}`).digest().readBigInt64BE().toString()
}
