/**
 * Whether the text of an event that cannot be parsed may have carried output, so that leaving it out would present an
 * altered answer as whole. It may have if one of `keys` (or a name that ends in one) stands before a colon, in whatever
 * quotes, and what follows is not plainly empty: `null`, `""`, `[]` or `{}` up to the next `,`, `}` or `]`. A key at
 * the very end, its value cut off, counts as output too.
 *
 * O(n), a regular expression; malformed events only.
 */
export function mayHaveCarriedOutput(text: string, keys: RegExp): boolean {
  for (const match of text.matchAll(keys)) {
    const value = text.slice(match.index + match[0].length, match.index + match[0].length + 24)
    if (!PLAINLY_EMPTY.test(value)) return true
  }
  return false
}

const PLAINLY_EMPTY = /^\s*(?:null|""|''|\\"\\"|\[\s*\]|\{\s*\})\s*[,}\]]/

/** The pattern of these keys before their colon, for `mayHaveCarriedOutput`. */
export function outputKeys(keys: readonly string[]): RegExp {
  return new RegExp(`(?:${keys.join('|')})[\\\\"']*\\s*:`, 'gi')
}
