import type { Clock } from '@understudy/core'
import type { ChainSource } from './chain-source.js'

const CLOSE_MS = 2_000

/** A source that throws at its end, or never comes to it, keeps nobody from closing. */
export function closeSource(source: ChainSource, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(CLOSE_MS, resolve)
    const over = (): void => {
      cancel()
      resolve()
    }
    new Promise((settle) => settle(source.close?.())).then(over, over)
  })
}
