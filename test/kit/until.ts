import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'

const DEADLINE_MS = 15_000
/** How often it looks before it begins to wait between two looks. */
const QUICK_LOOKS = 200

/**
 * Lets the event loop turn, with its sockets, until something is so; rejects with `label` if it is not within 15 s, far longer than
 * anything on loopback takes on a busy machine.
 */
export async function until(label: string, isSo: () => boolean, deadlineMs = DEADLINE_MS): Promise<void> {
  const end = performance.now() + deadlineMs
  for (let looks = 0; !isSo(); looks += 1) {
    if (performance.now() > end) throw new Error(`not within ${deadlineMs} ms: ${label}`)
    await (looks < QUICK_LOOKS ? turn() : sleep(2))
  }
}

/** Lets what is under way between sockets of this process come to rest: what one wrote is read a turn of the event loop later. */
export async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns += 1) await turn()
}
