import { toLatin1 } from './latin1.js'

/** A JSON object as a provider or a client sent it. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined
}

/** The elements of an array; none for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : []
}

/** A string that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

export function booleanOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** The value that the text spells; `undefined`, which no JSON text spells, if it spells none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** UTF-8 to text, a byte-order mark at its start left out. */
export function decodeText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** UTF-8 to one character (0 to 255) a byte, a byte-order mark at its start left out. */
export function decodeLatin1(bytes: Uint8Array): string {
  const text = toLatin1(bytes)
  return text.startsWith('\u00ef\u00bb\u00bf') ? text.slice(3) : text
}

/** The same object without the members of these names. */
export function omit(object: JsonObject, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !names.has(key)))
}

/** The same object without the members that are `undefined`. */
export function defined<T extends object>(members: T): T {
  const kept: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(members)) if (value !== undefined) kept[key] = value
  return kept as T
}
