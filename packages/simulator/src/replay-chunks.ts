import { pause } from './pause.js'
import type { Chunk, Step } from './script.js'
import type { Ending } from './ending.js'

const zero = Buffer.alloc(0)

/** After so much the event loop gets its turn: the kernel may take megabytes without a wait. */
const turnBytes = 65_536

/** How many bytes a byte script sends in all. */
export function chunksLength({ chunks = [], number_chunks: numbered = false }: Step): number {
  let length = 0
  let number = 0
  for (const chunk of chunks) {
    for (let round = 0; round < (chunk.repeat ?? 1); round += 1) {
      length += bytesOf(chunk, numbered ? number : undefined).length
      if (isNumbered(chunk)) number += 1
    }
  }
  return length
}

/** Plays a byte script. Repeated chunks without `every_ms` may share packets, so that big ones are quick. */
export async function* replayChunks(
  { chunks = [], number_chunks: numbered = false }: Step,
  signal: AbortSignal,
  onEnding: (ending: Ending) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let number = 0
  for (const chunk of chunks) {
    await pause(chunk.delay_ms, signal)
    const { repeat = 1 } = chunk
    const counts = numbered && isNumbered(chunk)
    const same = counts ? undefined : bytesOf(chunk, undefined)
    let sinceTurn = 0
    for (let round = 0; round < repeat; round += 1) {
      if (round > 0) await pause(chunk.every_ms, signal)
      const bytes = same ?? bytesOf(chunk, number)
      yield bytes
      if (counts) number += 1
      sinceTurn += bytes.length
      if (sinceTurn < turnBytes) continue
      sinceTurn = 0
      await pause(0, signal)
    }
    await pause(0, signal)
    if (chunk.then === undefined) continue
    onEnding(chunk.then)
    return
  }
}

function isNumbered({ text }: Chunk): boolean {
  return text?.includes('<n>') ?? false
}

function bytesOf({ text, b64 }: Chunk, number: number | undefined): Uint8Array {
  if (b64 !== undefined) return Buffer.from(b64, 'base64')
  if (text === undefined) return zero
  return Buffer.from(number === undefined ? text : text.replaceAll('<n>', String(number)))
}
