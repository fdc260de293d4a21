import type { AttemptTask } from './attempt.js'
import type { Cancel, Clock } from './clock.js'
import type { IdleWatch } from './idle-watch.js'
import { createIdleWatch } from './idle-watch.js'
import type { AttemptLimits } from './limits.js'
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
  return commit === 'complete' ? new CollectionLimits(limits, clock, scope) : undefined
}

/** A class: one is made for every answer that is collected. */
class CollectionLimits implements Collection {
  readonly #limits: AttemptLimits
  readonly #clock: Clock
  readonly #scope: AttemptScope
  #idle: IdleWatch | undefined
  #grace: Cancel | undefined

  constructor(limits: AttemptLimits, clock: Clock, scope: AttemptScope) {
    this.#limits = limits
    this.#clock = clock
    this.#scope = scope
  }

  asked(): void {
    this.#idle?.asked()
  }

  arrived(arrival: Arrival, progress: Progress): void {
    this.#idle?.arrived(arrival.events)
    if (progress.content && this.#idle === undefined) {
      this.#scope.disarm('first_content')
      this.#idle = createIdleWatch(this.#clock, this.#limits.idleTimeoutMs, this.#onIdle)
    }
    if (progress.complete) {
      this.#grace ??= this.#clock.schedule(this.#limits.finishGraceMs, this.#onIdle)
    } else {
      // A choice has begun behind the finish of the others.
      this.#grace?.()
      this.#grace = undefined
    }
  }

  release(): void {
    this.#idle?.stop()
    this.#grace?.()
  }

  readonly #onIdle = (): void => this.#scope.stop(timedOut('idle'))
}
