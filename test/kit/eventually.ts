import { setTimeout as sleep } from 'node:timers/promises'

const DEADLINE_MS = 15_000

/** Asks again and again, until the answer is not `undefined`; rejects with `label` and the last error if it is not in time. */
export async function eventually<Value>(label: string, ask: () => Promise<Value | undefined>, deadlineMs = DEADLINE_MS): Promise<Value> {
  const until = performance.now() + deadlineMs
  let cause: unknown
  while (performance.now() < until) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      cause = error
    }
    await sleep(25)
  }
  throw new Error(`not within ${deadlineMs} ms: ${label}`, { cause })
}
