/** Runs code of the host. What it throws, or rejects with later, is told to `onTrouble` and goes no further. */
export function runHostCode(code: () => unknown, onTrouble: () => void): void {
  try {
    const result = code()
    if (isThenable(result)) result.then(undefined, onTrouble)
  } catch {
    onTrouble()
  }
}

/** Whether a value of the host's is a promise, of whatever make. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
