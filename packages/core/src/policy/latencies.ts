import { makeRoom } from '../breaker/bounded-map.js'
import type { LegIdentity } from '../breaker/leg-key.js'
import { legKey } from '../breaker/leg-key.js'

/**
 * How long each leg took to its first content, lately. The first content of a buffered answer is there when all of it is, so
 * that its time grows with its length and says nothing of a stream: buffered and streamed requests have a memory each.
 */
export interface Latencies {
  /** An attempt that ended well took so long to its first content, in ms. `stream`: whether the client asked for one. */
  readonly record: (leg: LegIdentity, stream: boolean, firstContentMs: number) => void
  /** The median of the last 50 of its kind; `undefined` with fewer than 3. */
  readonly medianOf: (leg: LegIdentity, stream: boolean) => number | undefined
}

interface Samples {
  readonly values: number[]
  next: number
  /** Kept until another sample comes: plans ask more often than attempts end. */
  median: number | undefined
}

const MOST_SAMPLES = 50
const FEWEST_SAMPLES = 3
const MAX_LEGS = 1_000

/** Makes the memory of latencies that the order `latency` goes by. */
export function createLatencies(): Latencies {
  const streamed = new Map<string, Samples>()
  const buffered = new Map<string, Samples>()

  return {
    record(leg, stream, firstContentMs) {
      const legs = stream ? streamed : buffered
      const key = legKey(leg)
      let samples = legs.get(key)
      if (samples === undefined) {
        makeRoom(legs, MAX_LEGS, () => false)
        samples = { values: [], next: 0, median: undefined }
        legs.set(key, samples)
      }
      samples.values[samples.next] = firstContentMs
      samples.next = (samples.next + 1) % MOST_SAMPLES
      samples.median = undefined
    },
    medianOf(leg, stream) {
      const samples = (stream ? streamed : buffered).get(legKey(leg))
      if (samples === undefined || samples.values.length < FEWEST_SAMPLES) return undefined
      samples.median ??= median(samples.values)
      return samples.median
    },
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}
