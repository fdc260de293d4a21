import type { Failure } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { encodeFrame } from '@understudy/dialects'
import type { ByteSource } from './byte-source.js'
import { createBinaryFrameReader } from './binary-frame-reader.js'

/** A stream of AWS's frames as the server-sent events that the dialects read. A frame that is broken fails it as `malformed`. */
export function createFrameSource(source: ByteSource): ByteSource {
  return new FrameSource(source)
}

// A class, as every other source is one: a server holds one for every open stream.
class FrameSource implements ByteSource {
  readonly #source: ByteSource
  readonly #reader = createBinaryFrameReader()
  #failure: Failure | undefined

  constructor(source: ByteSource) {
    this.#source = source
  }

  get state(): 'open' | 'ended' | 'failed' {
    return this.#failure === undefined ? this.#source.state : 'failed'
  }

  get failure(): Failure | undefined {
    return this.#failure ?? this.#source.failure
  }

  take(): Buffer | undefined {
    while (this.#failure === undefined) {
      const bytes = this.#source.take()
      if (bytes === undefined) return undefined
      const events = this.#read(bytes)
      if (events !== '') return Buffer.from(events, 'utf8')
    }
    return undefined
  }

  onReady(callback: () => void): void {
    if (this.#failure === undefined) this.#source.onReady(callback)
    else queueMicrotask(callback)
  }

  release(): void {
    this.#source.release()
  }

  cancel(): void {
    this.#source.cancel()
  }

  /** What came whole before a broken frame still counts. */
  #read(bytes: Buffer): string {
    let events = ''
    try {
      this.#reader.push(bytes, (frame) => {
        events += encodeFrame(frame)
      })
    } catch {
      this.#failure = failureOf('malformed', { code: 'frame' })
      this.#source.cancel()
    }
    return events
  }
}
