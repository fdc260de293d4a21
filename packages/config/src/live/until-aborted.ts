import type { StopSignal } from '@understudy/core'

/** Settles as `work` does, or rejects with the reason of `signal` once that is aborted. What `work` comes to after that is nobody's. */
export async function untilAborted<Value>(work: Promise<Value>, signal: StopSignal): Promise<Value> {
  let abandon: (() => void) | undefined
  const abandoned = new Promise<never>((_resolve, reject) => {
    abandon = () => reject(reasonOf(signal))
    if (signal.aborted) abandon()
    else signal.addEventListener('abort', abandon)
  })
  try {
    return await Promise.race([abandoned, work])
  } finally {
    if (abandon !== undefined) signal.removeEventListener('abort', abandon)
  }
}

function reasonOf(signal: StopSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason })
}
