import { LegFailedError } from './errors.js'
import { DONE } from './iterable.js'
import type { Part } from './part.js'
import type { CommittedRun } from './run.js'

/**
 * The parts of a run's answer, one by one. Throws a `LegFailedError` where the answer breaks off. Not a generator alone: the
 * `return` of one that was never read would not reach the leg.
 */
export function chainParts(run: CommittedRun): AsyncIterable<Part> {
  let hasLeft = false
  const parts = read()
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => parts.next(),
      async return() {
        hasLeft = true
        await run.arrivals.return?.()
        return DONE
      },
    }),
  }

  async function* read(): AsyncGenerator<Part, undefined> {
    for await (const arrival of run.arrivals) {
      for (const part of arrival.parts) {
        if (hasLeft) return
        if (part.type === 'error') break
        yield part
        if (part.type === 'end') return
      }
    }
    const failure = run.end()?.failure
    if (failure !== undefined && !hasLeft) throw new LegFailedError(failure)
  }
}
