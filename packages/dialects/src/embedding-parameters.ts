import type { EmbeddingAsk } from './embedding-codec.js'

/** What changes no vector: how it is written down for the client, and whose request it is. */
const HINTS: ReadonlySet<string> = new Set(['encoding_format', 'user'])

/** What vectors are for, where a vendor makes other ones for questions than for what is searched. Cohere's words. */
const INPUT_TYPES: ReadonlySet<unknown> = new Set(['search_document', 'search_query', 'classification', 'clustering'])

/** What an API cannot say that takes texts, and an `input_type` at most. */
export function unsayableOf({ inputs, parameters }: EmbeddingAsk, takesInputType: boolean): string | undefined {
  if (inputs.some((input) => typeof input !== 'string')) return 'input-tokens'
  const { input_type: type, ...rest } = parameters
  if (isSet(type) && !(takesInputType && INPUT_TYPES.has(type))) return 'input_type'
  return Object.keys(rest).find((key) => isSet(rest[key]) && !HINTS.has(key))
}

/** What the vectors are for, as the request says it. */
export function inputTypeOf({ parameters }: EmbeddingAsk): string | undefined {
  const type = parameters['input_type']
  return typeof type === 'string' ? type : undefined
}

/** The inputs of a request that has no tokens in it. */
export function textsOf({ inputs }: EmbeddingAsk): readonly string[] {
  return inputs.filter((input) => typeof input === 'string')
}

/** A vector of numbers; `undefined` if a member is none, or none that a float of 32 bits can hold. */
export function vectorOf(value: unknown): readonly number[] | undefined {
  return Array.isArray(value) && value.every((member) => typeof member === 'number' && Number.isFinite(Math.fround(member))) ? value : undefined
}

const FLOAT_BYTES = 4

/** The same as base64 of floats, which stays as it is. */
export function packedVectorOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return undefined
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length % FLOAT_BYTES !== 0) return undefined
  for (let at = 0; at < bytes.length; at += FLOAT_BYTES) if (!Number.isFinite(bytes.readFloatLE(at))) return undefined
  return value
}

/** All of them, or `undefined` if one is none. */
export function allVectors<T>(vectors: readonly (T | undefined)[]): readonly T[] | undefined {
  const found = vectors.filter((vector) => vector !== undefined)
  return found.length === vectors.length ? found : undefined
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}
