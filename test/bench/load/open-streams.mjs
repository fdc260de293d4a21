import { countContentEvents, openConnection } from './connection.mjs'
import { requestBytes } from './request.mjs'

// The role opener and the first content.
const EVENTS_AT_START = 2
const OPENING_AT_ONCE = 50

/** Streams that are opened and stay open until the upstream ends them. */
export function createOpenStreams() {
  let all = []
  let events = 0
  let completed = 0
  let lost = 0

  const openOne = (port, request) => new Promise((resolve) => {
    let seen = 0
    let ended = false
    const connection = openConnection({
      port,
      request,
      stream: true,
      onEvents: (bytes) => {
        const count = countContentEvents(bytes)
        events += count
        if (seen < EVENTS_AT_START && seen + count >= EVENTS_AT_START) resolve()
        seen += count
      },
      onAnswer: ({ ok }) => {
        ended = true
        if (ok) completed += 1
        else lost += 1
        resolve()
      },
      onClose: () => {
        if (!ended) lost += 1
        ended = true
        resolve()
      },
    })
    all.push(connection)
    connection.send()
  })

  return {
    /** Opens more streams; resolves when each has its first content. */
    open: async ({ port, count }) => {
      const request = requestBytes(port, true)
      let left = count
      const worker = async () => {
        while (left > 0) {
          left -= 1
          await openOne(port, request)
        }
      }
      await Promise.all(Array.from({ length: OPENING_AT_ONCE }, worker))
      return { lost }
    },
    counts: () => ({ events, completed, lost }),
    close: () => {
      const counts = { events, completed, lost }
      const open = all
      all = []
      events = completed = lost = 0
      for (const connection of open) connection.close()
      return counts
    },
  }
}
