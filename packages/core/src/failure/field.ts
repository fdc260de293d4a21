/** A member of a value of which nothing is known; `undefined` where it has none or does not give it. Never throws. */
export function field(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return Reflect.get(value, key) as unknown
  } catch {
    // A throwing getter hides its field and nothing else.
    return undefined
  }
}

/** A member that is text. */
export function textField(value: unknown, key: string): string | undefined {
  const text = field(value, key)
  return typeof text === 'string' ? text : undefined
}

/** A member that is a number and finite. */
export function numberField(value: unknown, key: string): number | undefined {
  const number = field(value, key)
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}
