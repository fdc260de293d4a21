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
 * Reads to the end, or until there are more than `maxBytes`, and then no further: the source is cut. Rejects with the
 * reason of `signal` if that is aborted.
 */
export async function readBody(source: ByteSource, maxBytes: number, signal: StopSignal): Promise<ReadBody> {
  let first: Buffer | undefined
  let more: Buffer[] | undefined
  let length = 0
  for (;;) {
    const bytes = source.take()
    if (bytes !== undefined) {
      if (first === undefined) first = bytes
      else if (more === undefined) more = [first, bytes]
      else more.push(bytes)
      length += bytes.length
      if (length > maxBytes) {
        source.cancel()
        return { bytes: Buffer.concat(more ?? [first], maxBytes), whole: false }
      }
      continue
    }
    if (source.state !== 'open') break
    await waitForBytes(source, signal)
  }
  return { bytes: more === undefined ? (first ?? NOTHING) : Buffer.concat(more, length), whole: source.state === 'ended' }
}
