import { LegFailedError } from './errors.js'
import { failureOf } from './failure/failure.js'
import { field } from './failure/field.js'
import type { FinishReason, Part, Usage } from './part.js'

/** Stands for a value that a field of a part cannot have. */
const ODD = Symbol('odd')

/** Takes what a field may hold, `undefined` where it is absent, and `ODD` for anything else. */
type FieldReader = (value: unknown) => unknown

const text: FieldReader = (value) => (typeof value === 'string' ? value : ODD)
const number: FieldReader = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : ODD)
const index: FieldReader = (value) => (Number.isSafeInteger(value) && Number(value) >= 0 ? value : ODD)
const reason: FieldReader = (value) => (typeof value === 'string' && Object.hasOwn(FINISH_REASONS, value) ? value : ODD)
const anything: FieldReader = (value) => value
/** Left out: a leg of code has no dialect that it could be said in. */
const nothing: FieldReader = () => undefined

/** `null` is absent, as in many SDKs. */
function optional(read: FieldReader): FieldReader {
  return (value) => (value === undefined || value === null ? undefined : read(value))
}

const FINISH_REASONS = {
  stop: true,
  length: true,
  tool_calls: true,
  content_filter: true,
  error: true,
  unknown: true,
} as const satisfies Record<FinishReason, true>

const USAGE: Readonly<Record<keyof Usage, FieldReader>> = {
  inputTokens: optional(number),
  outputTokens: optional(number),
  totalTokens: optional(number),
  cachedInputTokens: optional(number),
  cacheWriteTokens: optional(number),
  reasoningTokens: optional(number),
}

type Fields<Type extends Part['type']> = Readonly<Record<Exclude<keyof Extract<Part, { readonly type: Type }>, 'type'>, FieldReader>>

/** What each type of part may hold. Other fields are left out. */
const PARTS: { readonly [Type in Part['type']]: Fields<Type> } = {
  start: { id: optional(text), model: optional(text), created: optional(number), systemFingerprint: optional(text) },
  text: { text, choice: optional(index) },
  reasoning: { text, signature: optional(text), redacted: optional(text), choice: optional(index) },
  refusal: { text, choice: optional(index) },
  'tool-call': { index, id: optional(text), name: optional(text), arguments: text, choice: optional(index) },
  media: { choice: optional(index) },
  finish: { reason, raw: optional(text), stopSequence: optional(text), choice: optional(index) },
  usage: { usage: counts },
  end: { document: nothing },
  // What cannot be read of it is a `server_error`.
  error: { failure: anything },
}

/**
 * A part as a custom leg made it, copied, so that what was looked at is what is written. Throws a `LegFailedError` of kind
 * `malformed` whose `code` names the field that is odd: `odd_part.text.choice`, or `odd_part.type` for a type that is none.
 */
export function readPart(value: unknown): Part {
  const type = field(value, 'type')
  if (!isPartType(type)) throw oddPart('type', 'a part of a type that is none')
  const fields: Readonly<Record<string, FieldReader>> = PARTS[type]
  const copy: Readonly<Record<string, unknown>> = { type, ...readFields(value, fields) }
  if (isPart(copy)) return copy
  const name = Object.keys(fields).find((key) => copy[key] === ODD) ?? ''
  throw oddPart(`${type}.${name}`, `a part of type '${type}' whose '${name}' is ${kindOf(field(value, name))}`)
}

function counts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return ODD
  const usage = readFields(value, USAGE)
  return Object.values(usage).includes(ODD) ? ODD : usage
}

function readFields(value: unknown, fields: Readonly<Record<string, FieldReader>>): Readonly<Record<string, unknown>> {
  const copy: Record<string, unknown> = {}
  for (const [key, read] of Object.entries(fields)) {
    const found = read(field(value, key))
    if (found !== undefined) copy[key] = found
  }
  return copy
}

function isPartType(type: unknown): type is Part['type'] {
  return typeof type === 'string' && Object.hasOwn(PARTS, type)
}

function isPart(copy: object): copy is Part {
  return !Object.values(copy).includes(ODD)
}

/** Says which field and what kind of value it has, and never the value. */
function oddPart(name: string, what: string): LegFailedError {
  const cause = new TypeError(`a custom leg gave ${what}`)
  return new LegFailedError(failureOf('malformed', { code: `odd_part.${name}` }), { cause })
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : `of the type ${typeof value}, or out of its range`
}
