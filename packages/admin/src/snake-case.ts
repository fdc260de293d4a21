/**
 * A value of ours as it crosses a process boundary: the same, with names in snake_case. Only for values whose names are all ours: documents,
 * whose routes are named by people, go as they are.
 */
export function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), snakeCase(member)]),
  )
}
