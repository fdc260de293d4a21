/** The bytes of an answer, read one piece at a time. */
export interface ByteReader {
  /** The next piece; `undefined` at the end. Rejects as the connection does. */
  readonly read: () => Promise<Uint8Array | undefined>
  /** Nothing more is wanted: what is left is read for a moment, so that the connection can be used again. */
  readonly release: () => void
  /** Nothing more is wanted, and nothing is read. */
  readonly cancel: () => void
}

/** A connection whose answer does not end by then is not worth keeping. */
const RELEASE_MS = 1_000

/** Reads the body of a response, be it a web stream or one of Node's. `abort` ends its connection. */
export function readBytes(body: AsyncIterable<unknown> | null, abort: () => void): ByteReader {
  const iterator = body?.[Symbol.asyncIterator]()
  let isOver = iterator === undefined

  return {
    async read() {
      if (isOver || iterator === undefined) return undefined
      try {
        const result: IteratorResult<unknown, unknown> = await iterator.next()
        if (result.done !== true) return result.value instanceof Uint8Array ? result.value : Buffer.from(String(result.value))
      } catch (error) {
        isOver = true
        throw error
      }
      isOver = true
      return undefined
    },
    release() {
      if (isOver) return
      isOver = true
      const timer = setTimeout(close, RELEASE_MS)
      timer.unref()
      drain().then(
        () => clearTimeout(timer),
        () => clearTimeout(timer),
      )
    },
    cancel() {
      if (isOver) return
      isOver = true
      close()
    },
  }

  function close(): void {
    // A web stream that is being read ends with its connection only.
    abort()
    iterator?.return?.().then(undefined, () => undefined)
  }

  async function drain(): Promise<void> {
    while (iterator !== undefined && (await iterator.next()).done !== true) continue
  }
}
