import { untilAborted } from '@understudy/config'
import type { PostgresClient, PostgresPool, RunQuery } from './postgres-client.js'

/** Runs work on a client of the pool. A client whose work was aborted or failed half-way is closed, whatever it was at. */
export type WithClient = <Value>(signal: AbortSignal, work: (run: RunQuery) => Promise<Value>) => Promise<Value>

/**
 * Borrows clients of a pool. Of a pool that gives none, no more than one is asked for at a time. `onSilence` is told when a client did not
 * answer in time: its connection may be lost without a word, and others with it.
 */
export function createLender(pool: PostgresPool, onSilence?: () => void): WithClient {
  let asked: Promise<PostgresClient> | undefined

  async function borrow(signal: AbortSignal): Promise<PostgresClient> {
    const abandoned = asked
    asked = undefined
    const connecting = abandoned ?? pool.connect()
    try {
      return await untilAborted(connecting, signal)
    } catch (error) {
      if (signal.aborted) abandon(connecting)
      throw error
    }
  }

  /** The next one who borrows gets it; if there is none when it comes, the pool gets it back. */
  function abandon(connecting: Promise<PostgresClient>): void {
    if (asked !== undefined) {
      connecting.then((client) => client.release(), () => undefined)
      return
    }
    asked = connecting
    connecting.then(
      (client) => {
        if (asked !== connecting) return
        asked = undefined
        client.release()
      },
      () => {
        if (asked === connecting) asked = undefined
      },
    )
  }

  return async (signal, work) => {
    signal.throwIfAborted()
    const client = await borrow(signal)
    client.on('error', ignore)
    let broken = true
    try {
      const run: RunQuery = async (text, values) => {
        signal.throwIfAborted()
        return (await client.query(text, values === undefined ? undefined : [...values])).rows
      }
      const value = await untilAborted(work(run), signal)
      broken = false
      client.off('error', ignore)
      return value
    } finally {
      client.release(broken)
      if (broken && signal.aborted) onSilence?.()
    }
  }
}

/** A connection that breaks says so beside the query that fails by it; without a listener that would end the process. */
function ignore(): void {
  // The query tells.
}
