/**
 * The own properties of a plain object, read once, on an object without prototype: so `constructor` and `__proto__` are
 * data like any other name, nothing is inherited, and what the host changes later changes nothing here. `undefined` for
 * what is no plain object or cannot be read.
 */
export function ownProperties(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  try {
    const prototype: unknown = Object.getPrototypeOf(value)
    // An object of another realm has another Object.prototype, but one without a prototype all the same.
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return undefined
    const own: Record<string, unknown> = { __proto__: null }
    for (const key of Object.keys(value)) own[key] = Reflect.get(value, key)
    return own
  } catch {
    return undefined
  }
}
