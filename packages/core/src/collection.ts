import type { AttemptTask } from './attempt.js'
import type { Cancel } from './clock.js'
import type { IdleWatch } from './idle-watch.js'
import { createIdleWatch } from './idle-watch.js'
import type { Arrival } from './part.js'
import type { Progress } from './progress.js'
import type { AttemptScope } from './scope.js'
import { timedOut } from './scope.js'

/** The limits of an answer that is collected whole before anything of it is sent: they change as it comes in. */
export interface Collection {
  readonly asked: () => void
  readonly arrived: (arrival: Arrival, progress: Progress) => void
  readonly release: () => void
}

/**
 * The limits of a collected answer, or `undefined` where nothing is collected. The first content ends the first-content limit
 * and starts the idle limit; the finish starts the grace for usage and terminator.
 */
export function collectionOf({ commit, limits, clock }: AttemptTask, scope: AttemptScope): Collection | undefined {
  if (commit !== 'complete') return undefined
  let idle: IdleWatch | undefined
  let grace: Cancel | undefined
  return {
    asked() {
      idle?.asked()
    },
    arrived(arrival, progress) {
      idle?.arrived(arrival.events)
      if (progress.content && idle === undefined) {
        scope.disarm('first_content')
        idle = createIdleWatch(clock, limits.idleTimeoutMs, () => scope.stop(timedOut('idle')))
      }
      if (progress.complete) {
        grace ??= clock.schedule(limits.finishGraceMs, () => scope.stop(timedOut('idle')))
      } else {
        // A choice has begun behind the finish of the others.
        grace?.()
        grace = undefined
      }
    },
    release() {
      idle?.stop()
      grace?.()
    },
  }
}
