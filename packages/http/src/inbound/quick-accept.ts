import { isRecord } from '@understudy/core'
import { z } from 'zod'

/** `true`: the schema takes the value. `false`: it may or may not. */
export type QuickAccept = (value: unknown) => boolean

type Schema = z.core.$ZodType

/**
 * A check that is made of a schema once and says yes to most of what the schema says yes to, without a copy of the value: zod's own
 * verdict takes ten times as long and makes half a dozen objects for each message. What it does not say yes to is for zod to judge, and to
 * describe. A part of a schema that it does not know (a refinement, a strict object) takes nothing here.
 */
export function quickAccept(schema: Schema): QuickAccept {
  if (schema instanceof z.ZodOptional) return orElse(schema.unwrap(), (value) => value === undefined)
  if (schema instanceof z.ZodNullable) return orElse(schema.unwrap(), (value) => value === null)
  if (schema instanceof z.ZodUnion) {
    const options = schema.options.map(quickAccept)
    return (value) => options.some((accepts) => accepts(value))
  }
  if (schema instanceof z.ZodArray) return items(schema)
  if (isRefined(schema)) return never
  if (schema instanceof z.ZodObject) return fields(schema)
  if (schema instanceof z.ZodString) return (value) => typeof value === 'string'
  if (schema instanceof z.ZodNumber) return Number.isFinite
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean'
  return schema instanceof z.ZodUnknown ? () => true : never
}

function never(): boolean {
  return false
}

function orElse(inner: Schema, alternative: QuickAccept): QuickAccept {
  const accepts = quickAccept(inner)
  return (value) => alternative(value) || accepts(value)
}

function items(schema: z.ZodArray): QuickAccept {
  const accepts = quickAccept(schema.element)
  let least = 0
  for (const check of schema.def.checks ?? []) {
    if (!(check instanceof z.core.$ZodCheckMinLength)) return never
    least = Math.max(least, check._zod.def.minimum)
  }
  return (value) => {
    if (!Array.isArray(value) || value.length < least) return false
    for (const item of value as unknown[]) {
      if (!accepts(item)) return false
    }
    return true
  }
}

function fields(schema: z.ZodObject): QuickAccept {
  if (!(schema.def.catchall instanceof z.ZodUnknown)) return never
  const known = Object.entries<Schema>(schema.shape).map(([name, field]) => ({ name, accepts: quickAccept(field) }))
  return (value) => {
    if (!isRecord(value)) return false
    for (const { name, accepts } of known) {
      if (!accepts(value[name])) return false
    }
    return true
  }
}

function isRefined(schema: Schema): boolean {
  return (schema._zod.def.checks?.length ?? 0) > 0
}
