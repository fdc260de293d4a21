import { z } from 'zod'

/** An object that refuses other keys than these, and says which one was probably meant. */
export function strictObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `unknown key '${key}'; ${suggestion(key, known)}`).join('; ')
      : undefined),
  })
}

function suggestion(key: string, known: readonly string[]): string {
  const nearest = known
    .map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((left, right) => left.distance - right.distance)[0]
  if (nearest !== undefined && nearest.distance <= Math.max(2, key.length / 3)) return `did you mean '${nearest.name}'?`
  return `it must be one of ${known.join(', ')}`
}

/** Edit distance, one row of the table at a time. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}
