import { quote } from './show.js'

const LONGEST = 64

/** What was probably meant, or else everything that would be right: the second half of a message. */
export function suggestName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? `it must be one of ${known.join(', ')}` : `did you mean ${quote(nearest)}?`
}

/** The known name that a misspelt one was probably meant to be. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  let nearest: string | undefined
  let least = Math.max(2, Math.floor(name.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < Math.min(least, candidate.length)) {
      nearest = candidate
      least = distance
    }
  }
  return nearest
}

function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 0; row < from.length; row += 1) {
    const current = [row + 1]
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (above[column] ?? 0) + (from[row] === to[column] ? 0 : 1)
      current.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    above = current
  }
  return above[to.length] ?? 0
}
