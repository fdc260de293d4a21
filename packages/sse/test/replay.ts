import { createFrameReader, parseFrame } from '@understudy/sse'
import type { FrameReaderOptions, Frames, ServerSentEvent } from '@understudy/sse'

export interface Replayed {
  readonly events: ServerSentEvent[]
  readonly frames: string[]
  readonly error: string | undefined
}

/** What a reader makes of a stream that arrives in these reads. Frames as latin1. */
export function replay(reads: readonly Uint8Array[], options?: FrameReaderOptions): Replayed {
  const reader = createFrameReader(options)
  const frames: string[] = []
  const collect = (read: Frames | undefined) => frames.push(...split(read))
  let error: string | undefined
  try {
    for (const bytes of reads) collect(reader.push(bytes))
    collect(reader.end())
  } catch (thrown) {
    error = String((thrown as { code?: unknown }).code ?? thrown)
  }
  return { frames, events: frames.flatMap((frame) => parseFrame(frame) ?? []), error }
}

/** The frames of one result, cut by `ends` out of `bytes`; throws where its three members disagree. */
export function split(read: Frames | undefined): string[] {
  if (read === undefined) return []
  const { bytes, latin1, ends } = read
  if (Buffer.from(bytes).toString('latin1') !== latin1) throw new Error('latin1 is not bytes')
  if (ends.at(-1) !== bytes.length) throw new Error('bytes after the last end')
  return ends.map((end, index) => {
    const frame = latin1.slice(ends[index - 1] ?? 0, end)
    if (!/[^\r\n]/.test(frame)) throw new Error('a frame without content')
    return frame
  })
}

/** `bytes` in pieces that end at the given offsets. */
export function cutAt(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const sorted = [...offsets].filter((offset) => offset <= bytes.length).sort((left, right) => left - right)
  return [...sorted, bytes.length].map((offset, index) => bytes.subarray(sorted[index - 1] ?? 0, offset))
}

export function byteByByte(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (byte) => Uint8Array.of(byte))
}
