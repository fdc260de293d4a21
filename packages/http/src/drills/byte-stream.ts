import type { StopSignal } from '@understudy/core'
import { failureOf, isLegFailedError, LegFailedError } from '@understudy/core'

import type { ByteSource } from '../outbound/byte-source.js'
import { waitForBytes } from '../outbound/byte-source.js'
import type { ByteStream } from '../outbound/fault.js'

/** A source as the stream that faults are made for. Closes the source when it is closed. */
export async function* streamOf(source: ByteSource, signal: StopSignal): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      const bytes = source.take()
      if (bytes !== undefined) yield bytes
      else if (source.state === 'failed') throw new LegFailedError(source.failure ?? failureOf('connection_error'))
      else if (source.state === 'ended') return
      else await waitForBytes(source, signal)
    }
  } finally {
    source.cancel()
  }
}

/** A stream as a source again: one item is asked for at a time, and none before the last was taken. */
export class StreamSource implements ByteSource {
  state: ByteSource['state'] = 'open'
  failure: ByteSource['failure']

  readonly #items: AsyncIterator<Uint8Array>
  #held: Buffer | undefined
  #isAsking = false
  #reader: (() => void) | undefined

  constructor(stream: ByteStream) {
    this.#items = stream[Symbol.asyncIterator]()
  }

  take(): Buffer | undefined {
    const held = this.#held
    this.#held = undefined
    return held
  }

  onReady(callback: () => void): void {
    this.#reader = callback
    if (this.#held !== undefined || this.state !== 'open') queueMicrotask(this.#wake)
    else if (!this.#isAsking) void this.#ask()
  }

  release(): void {
    this.cancel()
  }

  cancel(): void {
    this.#held = undefined
    if (this.state !== 'open') return
    this.state = 'failed'
    this.failure = failureOf('aborted')
    // Behind a pending item it waits until the signal of the attempt has ended that.
    void Promise.resolve(this.#items.return?.()).catch(() => undefined)
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    try {
      const item = await this.#items.next()
      if (this.state !== 'open') return
      if (item.done === true) this.state = 'ended'
      else this.#held = Buffer.from(item.value)
    } catch (error) {
      if (this.state !== 'open') return
      this.state = 'failed'
      this.failure = isLegFailedError(error) ? error.failure : failureOf('connection_error')
    } finally {
      this.#isAsking = false
      this.#wake()
    }
  }

  readonly #wake = (): void => {
    const reader = this.#reader
    this.#reader = undefined
    reader?.()
  }
}
