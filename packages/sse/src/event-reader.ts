import { createFrameReader, type FrameReaderOptions, type Frames } from './frame-reader.js'
import { parseFrame, type ServerSentEvent } from './parse-frame.js'

/** Reads a stream of bytes as events, one read at a time. Its state is one stream's: make one a stream. */
export interface EventReader {
  /** The events that this read completed. Throws a `FrameTooLargeError` as a frame reader does. */
  push(bytes: Uint8Array): ServerSentEvent[]
  /** At the end of the stream: its last event, if it lacks no more than its blank line. */
  end(): ServerSentEvent[]
}

/** Makes an event reader: a frame reader, with each frame parsed. */
export function createEventReader(options?: FrameReaderOptions): EventReader {
  const reader = createFrameReader(options)
  return {
    push: (bytes) => parseFrames(reader.push(bytes)),
    end: () => parseFrames(reader.end()),
  }
}

/** The events of a stream of bytes, in order. Ending the iteration early closes `source`. */
export async function* readEvents(
  source: AsyncIterable<Uint8Array>,
  options?: FrameReaderOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  const reader = createEventReader(options)
  for await (const bytes of source) yield* reader.push(bytes)
  yield* reader.end()
}

function parseFrames(frames: Frames | undefined): ServerSentEvent[] {
  const events: ServerSentEvent[] = []
  let start = 0
  for (const end of frames?.ends ?? []) {
    const event = parseFrame(frames?.latin1.slice(start, end) ?? '')
    if (event !== undefined) events.push(event)
    start = end
  }
  return events
}
