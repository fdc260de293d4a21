import type { Part } from '@understudy/core'

/** A call as it is streamed: its opener, and its input in pieces of `size` characters. */
export function callPieces(index: number, { id, name, input, size }: { id: string; name: string; input: unknown; size: number }): Part[] {
  const json = JSON.stringify(input)
  const pieces = Array.from({ length: Math.ceil(json.length / size) }, (_, piece) => json.slice(piece * size, (piece + 1) * size))
  return [
    { type: 'tool-call', index, id, name, arguments: '' },
    ...pieces.map((piece): Part => ({ type: 'tool-call', index, arguments: piece })),
  ]
}

/** Texts, and the next part of the call whose number stands there; takes those parts out of the queues. */
export function interleaved(order: readonly (string | number)[], queues: readonly Part[][]): readonly Part[] {
  return order.flatMap((next): readonly Part[] => {
    if (typeof next === 'string') return [{ type: 'text', text: next }]
    const part = queues[next]?.shift()
    return part === undefined ? [] : [part]
  })
}
