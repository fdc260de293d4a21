import type { Arrival } from '@understudy/core'

/**
 * An arrival that is given to its reader. A class, as is whatever else a request makes on its way that holds on to more: V8 takes what a
 * literal makes for long-lived once enough of it outlived a collection, and puts it and all that hangs on it into the old generation from
 * then on, for as long as the process lives.
 */
export class Given implements IteratorYieldResult<Arrival> {
  readonly done = false
  readonly value: Arrival

  constructor(value: Arrival) {
    this.value = value
  }
}
