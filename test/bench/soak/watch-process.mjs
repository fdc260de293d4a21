import { setImmediate, setTimeout as pause } from 'node:timers/promises'

/** Timers that were set and have neither fired nor been cleared, unref'd ones too, which node's own list leaves out. */
const openTimers = new Set()
const { setTimeout: setTimer, clearTimeout: clearTimer } = globalThis

/** Counts timers from here on. To be called before the code whose timers count is loaded. */
export function watchTimers() {
  globalThis.setTimeout = (callback, delay, ...args) => {
    const timer = setTimer((...given) => {
      openTimers.delete(timer)
      callback(...given)
    }, delay, ...args)
    openTimers.add(timer)
    return timer
  }
  globalThis.clearTimeout = (timer) => {
    openTimers.delete(timer)
    clearTimer(timer)
  }
}

/** Warnings and errors that reach the process: a leak of listeners shows as a warning. */
export function watchTrouble() {
  const trouble = []
  const add = (error) => trouble.push(String(error?.stack ?? error))
  process.on('warning', add)
  process.on('unhandledRejection', add)
  process.on('uncaughtException', add)
  return trouble
}

/** What the process holds open, by kind. */
export function openHandles() {
  const counts = { timers: openTimers.size }
  for (const kind of process.getActiveResourcesInfo()) {
    // The channel to a parent and the console are the process's own.
    if (kind === 'PipeWrap' || kind === 'TTYWrap') continue
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** How many listeners stand on what lives as long as the process. */
export const processListeners = () => process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)

/** Bytes on the heap after three forced collections. */
export async function heapAfterCollection() {
  for (let round = 0; round < 3; round += 1) {
    await pause(20)
    await setImmediate()
    globalThis.gc()
  }
  return process.memoryUsage().heapUsed
}
