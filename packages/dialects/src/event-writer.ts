import type { Part } from '@understudy/core'
import type { StreamEncoder } from './dialect-codec.js'

/** Writes the events of one answer, the terminator aside. */
export interface EventWriter {
  /** The events that say these parts; empty if they say nothing. */
  push(parts: readonly Part[]): string
  /** To be called once, when the answer is whole: what was held back for its end. */
  finish(): string
}

/** The encoder of the stream that is written so; `terminator` stands behind what went well. */
export function streamEncoderOf(writer: EventWriter, terminator: Uint8Array): StreamEncoder {
  return {
    push(parts) {
      const text = writer.push(parts)
      return text === '' ? undefined : Buffer.from(text, 'utf8')
    },
    end: () => Buffer.concat([Buffer.from(writer.finish(), 'utf8'), terminator]),
  }
}
