import type { Leg } from '@understudy/core'
import { legName } from '@understudy/core'

import { reportBefore, reportBehind, reportJson } from './report.js'
import { headerText, servedItem } from './trail.js'

/**
 * What a response says of a run whose first attempt was served by this leg, which is how nearly all runs go: all but the milliseconds is
 * known when the chain is made, and brought into its final form once.
 */
export class AtOnceTexts {
  /** Which leg served, for a header. */
  readonly served: string
  readonly #first: string
  readonly #chainLength: number
  readonly #trail: string
  readonly #report: string

  constructor(leg: Leg, first: string, chainLength: number) {
    const name = legName(leg)
    this.served = headerText(name)
    this.#first = first
    this.#chainLength = chainLength
    this.#trail = servedItem(leg)
    this.#report = chainLength === 1 ? reportJson(first, name, 1, []) : reportBefore(first, leg)
  }

  /** Whether they are those of a chain, which may be a part of the one that they were made for. */
  holdFor(first: string, chainLength: number): boolean {
    return this.#first === first && this.#chainLength === chainLength
  }

  /** The trail, for a header. */
  trail(latencyMs: number): string {
    return `${this.#trail}${Math.round(latencyMs)}`
  }

  /** The report, as JSON. */
  report(latencyMs: number): string {
    return this.#chainLength === 1 ? this.#report : `${this.#report}${Math.round(latencyMs)}${reportBehind}`
  }
}
