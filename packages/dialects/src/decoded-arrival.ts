import type { Arrival, Part } from '@understudy/core'

// Classes and no literals: see ARCHITECTURE, "Where the time goes", on what outlives a collection.

/** What a read's events say, where their bytes are of no use. */
export class DecodedArrival implements Arrival {
  readonly parts: readonly Part[]
  readonly events: number

  constructor(parts: readonly Part[], events: number) {
    this.parts = parts
    this.events = events
  }
}

/** The same with the bytes that a client of the same dialect gets. */
export class ForwardedArrival implements Arrival {
  readonly parts: readonly Part[]
  readonly bytes: Uint8Array
  readonly events: number

  constructor(parts: readonly Part[], bytes: Uint8Array, events: number) {
    this.parts = parts
    this.bytes = bytes
    this.events = events
  }
}
