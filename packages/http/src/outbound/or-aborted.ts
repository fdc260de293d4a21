import type { StopSignal } from '@understudy/core'

/** Settles as `work` does, or rejects once `signal` is aborted: code of the host that never ends holds nobody. */
export async function orAborted<T>(work: Promise<T>, signal: StopSignal): Promise<T> {
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Error('aborted'))
    signal.addEventListener('abort', onAbort)
  })
  try {
    signal.throwIfAborted()
    return await Promise.race([work, aborted])
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}
