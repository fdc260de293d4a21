import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects now, without asking every test process for the flag. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}
