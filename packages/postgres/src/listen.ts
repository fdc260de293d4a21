import { quoted } from './identifiers.js'
import type { PostgresClient, PostgresPool } from './postgres-client.js'

const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 10_000

/** What hears a channel. */
export interface Listener {
  /** Listens with another client: the one it has may be dead without knowing it. */
  readonly renew: () => void
  readonly end: () => void
}

/**
 * Listens on a channel with a client of its own, and tells of the messages that name `payload`. Where the connection breaks, or there is
 * none, it tries again later, and tells when it hears again: it may have missed something.
 */
export function listen(pool: PostgresPool, channel: string, payload: string, changed: () => void): Listener {
  let ended = false
  let failures = 0
  let client: PostgresClient | undefined
  let timer: NodeJS.Timeout | undefined

  async function open(): Promise<void> {
    let opened: PostgresClient | undefined
    try {
      opened = await pool.connect()
      if (ended) {
        opened.release()
        return
      }
      const mine = opened
      client = mine
      mine.on('error', () => lost(mine))
      mine.on('end', () => lost(mine))
      mine.on('notification', (message) => {
        if (client === mine && message.channel === channel && message.payload === payload) changed()
      })
      mine.unref?.()
      await mine.query(`LISTEN ${quoted(channel)}`)
      failures = 0
      if (client === mine) changed()
    } catch {
      if (opened === undefined) retry()
      else lost(opened)
    }
  }

  function lost(broken: PostgresClient): void {
    if (client !== broken) return
    client = undefined
    broken.release(true)
    retry()
  }

  function retry(): void {
    if (ended) return
    const waitMs = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures)
    failures += 1
    timer = setTimeout(() => void open(), waitMs * (0.5 + Math.random() / 2)).unref()
  }

  void open()
  return {
    renew: () => {
      if (client !== undefined) lost(client)
    },
    end: () => {
      ended = true
      clearTimeout(timer)
      const listening = client
      client = undefined
      // It still listens, so nobody else can have it.
      listening?.release(true)
    },
  }
}
