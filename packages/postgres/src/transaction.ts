import type { RunQuery } from './postgres-client.js'

/** A server that hears no more of us lets go by itself, and commits nothing. */
const LIMIT_MS = 5_000

/** Runs `work` in a transaction. What it throws leaves it open: the client is to be closed then, and takes it with it. */
export async function inTransaction<Value>(run: RunQuery, work: () => Promise<Value>): Promise<Value> {
  // What comes after a wait for another writer has to see what that wrote.
  await run('BEGIN ISOLATION LEVEL READ COMMITTED')
  await run(`SET LOCAL statement_timeout = ${LIMIT_MS}`)
  await run(`SET LOCAL idle_in_transaction_session_timeout = ${LIMIT_MS}`)
  const value = await work()
  await run('COMMIT')
  return value
}
