import type { StopSignal } from '@understudy/core'
import type { ByteSource } from './byte-source.js'
import { waitForBytes } from './byte-source.js'

/** A body that was read whole, or as far as it went. */
export interface ReadBody {
  readonly bytes: Buffer
  /** `false` if it went over the limit or broke off; `source.failure` says why it broke off. */
  readonly whole: boolean
}

const NOTHING = Buffer.alloc(0)

/**
 * Reads to the end, or until there are more than `maxBytes`, and then no further: the source is cut. No promise where all of it is there
 * already, which most answers in JSON are by the time that their head is read. Rejects with the reason of `signal` if that is aborted.
 */
export function readBody(source: ByteSource, maxBytes: number, signal: StopSignal): ReadBody | Promise<ReadBody> {
  const reading = new BodyReading(source, maxBytes)
  return reading.take() ?? reading.rest(signal)
}

/** A class: one is made for every answer that is read whole. */
class BodyReading {
  readonly #source: ByteSource
  readonly #maxBytes: number
  #first: Buffer | undefined
  #more: Buffer[] | undefined
  #length = 0

  constructor(source: ByteSource, maxBytes: number) {
    this.#source = source
    this.#maxBytes = maxBytes
  }

  /** Takes what there is; gives the body once it has ended, or is too long. */
  take(): ReadBody | undefined {
    const source = this.#source
    for (let bytes = source.take(); bytes !== undefined; bytes = source.take()) {
      if (this.#first === undefined) this.#first = bytes
      else if (this.#more === undefined) this.#more = [this.#first, bytes]
      else this.#more.push(bytes)
      this.#length += bytes.length
      if (this.#length > this.#maxBytes) {
        source.cancel()
        return { bytes: Buffer.concat(this.#more ?? [this.#first], this.#maxBytes), whole: false }
      }
    }
    return source.state === 'open' ? undefined : { bytes: this.#whole(), whole: source.state === 'ended' }
  }

  async rest(signal: StopSignal): Promise<ReadBody> {
    for (;;) {
      await waitForBytes(this.#source, signal)
      const body = this.take()
      if (body !== undefined) return body
    }
  }

  #whole(): Buffer {
    return this.#more === undefined ? (this.#first ?? NOTHING) : Buffer.concat(this.#more, this.#length)
  }
}
