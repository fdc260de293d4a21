import { deferred } from './deferred.js'

/** A stream of bytes that a test feeds by hand, and that tells what its reader did with it. */
export interface ByteSource extends AsyncIterable<Uint8Array> {
  readonly push: (text: string) => void
  readonly end: () => void
  /** How many items were asked for so far. */
  readonly asked: () => number
  /** How often it was closed. */
  readonly returns: () => number
  /** Resolves when its reader closes it. */
  readonly closed: Promise<void>
  /** Resolves when its reader waits for an item that is not there yet. */
  readonly hungry: () => Promise<void>
}

const DONE = { done: true, value: undefined } as const

/** Ends by itself when the signal aborts, as a run does. */
export function byteSource(signal?: AbortSignal): ByteSource {
  const ready: IteratorResult<Uint8Array>[] = []
  const { promise: closed, resolve: close } = deferred()
  let give: ((item: IteratorResult<Uint8Array>) => void) | undefined
  let notify: (() => void) | undefined
  let asked = 0
  let returns = 0

  function add(item: IteratorResult<Uint8Array>): void {
    const waiting = give
    give = undefined
    if (waiting === undefined) ready.push(item)
    else waiting(item)
  }
  signal?.addEventListener('abort', () => add(DONE))

  return {
    push: (text) => add({ done: false, value: Buffer.from(text) }),
    end: () => add(DONE),
    asked: () => asked,
    returns: () => returns,
    closed,
    hungry: () => (give === undefined ? new Promise((resolve) => (notify = resolve)) : Promise.resolve()),
    [Symbol.asyncIterator]: () => ({
      next() {
        asked += 1
        const item = ready.shift()
        if (item !== undefined) return Promise.resolve(item)
        return new Promise((resolve) => {
          give = resolve
          notify?.()
        })
      },
      return() {
        returns += 1
        add(DONE)
        close()
        return Promise.resolve(DONE)
      },
    }),
  }
}
