import { setImmediate, setTimeout } from 'node:timers/promises'

/** Waits so many ms; 0 lets what was written leave first; undefined does not wait. Rejects when the call is over. */
export async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms === undefined) return
  if (ms > 0) await setTimeout(ms, undefined, { signal })
  else await setImmediate(undefined, { signal })
}

/** Waits until the call is over, and rejects then. */
export async function untilOver(signal: AbortSignal): Promise<never> {
  return new Promise<never>((_, reject) => {
    const fail = () => reject(new Error('the call is over'))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}
