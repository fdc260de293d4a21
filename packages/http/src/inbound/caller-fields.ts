import { z } from 'zod'

/** The failures that a caller's chain can be told to move on for. */
export const TRIGGERS = ['connection_error', 'server_error', 'rate_limit', 'timeout'] as const

export type Trigger = (typeof TRIGGERS)[number]

/** What a caller may ask for an attempt, in milliseconds. */
export const TIMEOUT_MS = { least: 1_000, most: 300_000 } as const
export const FIRST_TOKEN_MS = { least: 500, most: 60_000 } as const
/** How many entries a chain may have. */
export const MAX_ENTRIES = 3

const timeoutMs = z.number().int().min(TIMEOUT_MS.least).max(TIMEOUT_MS.most)
const firstTokenMs = z.number().int().min(FIRST_TOKEN_MS.least).max(FIRST_TOKEN_MS.most)

const entrySchema = z.union(
  [
    z.string().min(1),
    z.strictObject({
      model: z.string().min(1),
      timeout_ms: timeoutMs.nullish(),
      first_token_timeout_ms: firstTokenMs.nullish(),
    }),
  ],
  {
    error:
      `must be a model, or { model, timeout_ms?, first_token_timeout_ms? } with whole milliseconds of ` +
      `${TIMEOUT_MS.least} to ${TIMEOUT_MS.most} and ${FIRST_TOKEN_MS.least} to ${FIRST_TOKEN_MS.most}`,
  },
)

/** One entry of a chain as a caller writes it. */
export type EntryWire = z.infer<typeof entrySchema>

const redundancySchema = z.strictObject({
  timeout_ms: timeoutMs.nullish(),
  first_token_timeout_ms: firstTokenMs.nullish(),
  on: z.array(z.enum(TRIGGERS)).nullish(),
})

/** What a request says to us and not to a provider; members of every completion's body. */
export const callerShape = {
  models: z.array(entrySchema).min(1).nullish().describe('Exactly this chain, of at most 3 entries; `model` is ignored.'),
  fallback_models: z.array(entrySchema).nullish().describe('What is tried after `model`.'),
  redundancy: redundancySchema.nullish(),
  idempotent: z.boolean().nullish().describe('false: never let two providers process this request.'),
}

const callerFields = z.object(callerShape)

/** The caller's fields of a body that the schema of completions has passed. */
export type CallerFields = z.infer<typeof callerFields>

/** Reads them. */
export function callerFieldsOf(body: Readonly<Record<string, unknown>>): CallerFields {
  const { models, fallback_models, redundancy, idempotent } = body
  // Most requests have none of them.
  if ((models ?? fallback_models ?? redundancy ?? idempotent) === undefined) return {}
  return callerFields.parse({ models, fallback_models, redundancy, idempotent })
}
