import { performance } from 'node:perf_hooks'

/** How late a timer may be, and how long we may wait for a processor, before limits of 300 ms mean nothing. */
const lateMs = 50
const starvedMs = 60
const tickMs = 10

/** Watches whether this machine lets the process run. */
export interface FairPlay {
  /** Why what was measured meanwhile is not to be trusted; undefined if it is. */
  stop(): string | undefined
}

/**
 * Tells a slow program from a slow machine: the time in which the event loop had work to do but no processor, and the
 * lateness of a timer beyond that.
 */
export function watchFairPlay(): FairPlay {
  const cpu = process.cpuUsage()
  const utilization = performance.eventLoopUtilization()
  let last = performance.now()
  let latest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    latest = Math.max(latest, now - last - tickMs)
    last = now
  }, tickMs)

  return {
    stop: () => {
      clearInterval(timer)
      const { user, system } = process.cpuUsage(cpu)
      const { active } = performance.eventLoopUtilization(utilization)
      const withoutProcessor = active - (user + system) / 1_000
      if (withoutProcessor > starvedMs) return `there was work but no processor for ${Math.round(withoutProcessor)} ms`
      if (latest > lateMs) return `a timer was ${Math.round(latest)} ms late`
      return undefined
    },
  }
}
