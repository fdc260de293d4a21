import { z } from 'zod'
import type { ParameterDefaults } from '../routes-input.js'
import { ownProperties } from '../own-properties.js'
import { wrong } from './rule.js'

const DEEPEST = 50

/** What a request says to us and not to a provider. */
const TRANSPORT = ['models', 'fallback_models', 'redundancy', 'idempotent', 'vertex', 'jev']

/** What is not a parameter: it is said elsewhere, or decided by each request. */
const TAKEN: ReadonlyMap<string, string> = new Map([
  ['model', 'cannot be a default; the model is said by the leg'],
  ['messages', 'cannot be a default; it is what the request is about'],
  ['__proto__', 'is not a parameter'],
  ['stream', 'cannot be a default; the client decides whether it reads a stream'],
  ...TRANSPORT.map((key) => [key, 'cannot be a default; it is said by each request and reaches no provider'] as const),
])

/** A copy of JSON data, or `undefined` if it is none (cycles are too deep). */
function copyJson(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (depth > DEEPEST) return undefined
  if (Array.isArray(value)) {
    const copy = value.map((item) => copyJson(item, depth + 1))
    return copy.includes(undefined) ? undefined : copy
  }
  const own = ownProperties(value)
  if (own === undefined) return undefined
  const copy = Object.entries(own).map(([key, member]) => [key, copyJson(member, depth + 1)] as const)
  return copy.some(([, member]) => member === undefined) ? undefined : Object.fromEntries(copy)
}

/** Parameters that are filled into requests: JSON data, copied. */
export const parameterDefaults = z.unknown().transform((value, context): ParameterDefaults => {
  const own = ownProperties(value)
  if (own === undefined) {
    context.issues.push({ code: 'custom', input: value, message: wrong(value, 'an object of parameters') })
    return z.NEVER
  }
  const copy: [string, unknown][] = []
  for (const [key, member] of Object.entries(own)) {
    if (member === undefined) continue
    const copied = copyJson(member)
    const complaint = TAKEN.get(key) ?? (copied === undefined ? 'is not plain JSON data' : undefined)
    if (complaint !== undefined) context.issues.push({ code: 'custom', input: value, path: [key], message: complaint })
    copy.push([key, copied])
  }
  return Object.fromEntries(copy)
})
