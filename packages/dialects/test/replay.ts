import type { Arrival, Part } from '@understudy/core'
import { openai, type ProviderCodec, type StreamDecoderOptions } from '@understudy/dialects'

/** A stream as it was decoded, read by read, put together again. */
export interface Decoded {
  readonly parts: readonly Part[]
  /** What was passed on, one character a byte. */
  readonly bytes: string
  readonly events: number
  readonly skipped: number
}

export interface ReplayOptions extends Partial<StreamDecoderOptions> {
  /** Calls `committed()` before the first read. */
  readonly committed?: boolean
  /** Default `openai`. */
  readonly codec?: ProviderCodec
}

/** Pushes the reads, then the end of the source. */
export function replay(reads: readonly Uint8Array[], { committed = false, codec = openai, ...options }: ReplayOptions = {}): Decoded {
  const decoder = codec.createStreamDecoder({ forward: 'bytes', ...options })
  if (committed) decoder.committed()
  const arrivals = [...reads.map((read) => decoder.push(read)), decoder.end()].filter(
    (arrival): arrival is Arrival => arrival !== undefined,
  )
  return {
    parts: arrivals.flatMap(({ parts }) => parts),
    bytes: arrivals.map(({ bytes }) => Buffer.from(bytes ?? []).toString('latin1')).join(''),
    events: arrivals.reduce((sum, { events }) => sum + events, 0),
    skipped: arrivals.reduce((sum, { skipped = 0 }) => sum + skipped, 0),
  }
}

/** The stream whole, byte by byte, and cut at places that a seed decides. */
export function cuttings(stream: string | Uint8Array): readonly (readonly Uint8Array[])[] {
  const bytes = typeof stream === 'string' ? Buffer.from(stream, 'utf8') : stream
  const random = [1, 2, 3].map((seed) => cutAt(bytes, seed))
  return [[bytes], Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)), ...random]
}

function cutAt(bytes: Uint8Array, seed: number): readonly Uint8Array[] {
  const reads: Uint8Array[] = []
  let state = seed
  let position = 0
  while (position < bytes.length) {
    state = (state * 1103515245 + 12345) % 2147483648
    const length = 1 + (state % 97)
    reads.push(bytes.subarray(position, position + length))
    position += length
  }
  return reads
}

/** One event. */
export function event(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
}

/** One chunk that adds to a choice. */
export function chunk(delta: unknown, finish: unknown = null, more: Readonly<Record<string, unknown>> = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return event({ id: 'cc-A', object: 'chat.completion.chunk', created: 1700000000, model: 'm-A', choices, ...more })
}

export const DONE = 'data: [DONE]\n\n'
