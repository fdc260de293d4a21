import type { DrillEndCause, DrillFault } from '@understudy/core'

/** What is to fail, for whom, and until when. */
export interface DrillRequest {
  readonly route: string
  /** `provider/model`, of the chain that the route runs. Default its first leg, whichever that is when a request comes. */
  readonly leg?: string | undefined
  /**
   * `fail`: before the call, which is not made. The others are made, and the bytes of the answer are tampered with before any content: `cut`
   * ends them, `stall` sends no more of them until the leg's own time limit ends it, or 10 s or a third of the chain's `deadlineMs` or `windowMs`
   * are over, `corrupt` breaks them.
   */
  readonly fault: DrillFault
  /** The part of the route's requests, over 0 and at most 1. Either this or `signed`. */
  readonly share?: number | undefined
  /** Only requests with the header that `start` gives. */
  readonly signed?: true | undefined
  /** It ends by itself behind this, in ms, at most an hour. */
  readonly forMs: number
  /** It ends by itself when it failed so many attempts, at most 10 000. */
  readonly maxRequests: number
  /** Who rehearses. Not empty. */
  readonly actor: string
  /** Why. Not empty. */
  readonly reason: string
}

/** A drill as it stands. Content-free; without its secret. Times in milliseconds since the epoch. */
export interface DrillSnapshot {
  readonly id: string
  readonly route: string
  readonly leg?: string | undefined
  readonly fault: DrillFault
  readonly share?: number | undefined
  readonly signed?: true | undefined
  readonly startedAt: number
  readonly expiresAt: number
  readonly maxRequests: number
  /** How many attempts it has failed. */
  readonly drilled: number
  readonly by: string
  readonly reason: string
  /** Absent while it runs. */
  readonly endedAt?: number | undefined
  readonly endCause?: DrillEndCause | undefined
}

/** A drill that has just begun. */
export interface StartedDrill extends DrillSnapshot {
  /** With `signed`: its secret, told this once. */
  readonly secret?: string | undefined
  /** With `signed`: the value of the header `understudy-drill`, which is `<id>.<HMAC-SHA256 of the id under the secret, in hex>`. */
  readonly header?: string | undefined
}

/** Which drill is to end, who says so, and why. */
export interface DrillEnding {
  readonly id: string
  readonly actor: string
  readonly reason: string
}

/** Fails legs on purpose, to see the chain move on: in bounds, on the record, at no leg's expense. */
export interface DrillControl {
  /** Throws a `DrillError` where a client would come to harm: the chain could not move on. */
  readonly start: (request: DrillRequest) => StartedDrill
  /** Ends a drill before its time. Throws a `DrillError` if no such drill runs. */
  readonly end: (ending: DrillEnding) => DrillSnapshot
  /** Those that run and the last that ran, newest first. */
  readonly list: () => readonly DrillSnapshot[]
}
