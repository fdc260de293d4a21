/** A column of a row. */
export function columnOf(row: unknown, name: string): unknown {
  return typeof row === 'object' && row !== null ? Reflect.get(row, name) : undefined
}

/** A column that is a text, or `undefined` for NULL. */
export function textOf(row: unknown, name: string): string | undefined {
  const value = columnOf(row, name)
  return typeof value === 'string' ? value : undefined
}

/** The value of a JSON text; `undefined` of what is none. */
export function parse(text: unknown): unknown {
  if (typeof text !== 'string') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
