import { z } from 'zod'

const text = z.string().nullish()
/** Milliseconds since the epoch. */
const time = z.number().nullish()

const leg = z.looseObject({ provider: z.string(), model: z.string(), region: text, last_served_at: time, misconfigured: z.boolean().nullish() })

const chain = z.looseObject({
  layer: z.string(),
  version: z.number(),
  since: time,
  by: text,
  reason: text,
  preset: text,
  expires_at: time,
  marking: text,
})

const preset = z.looseObject({ name: z.string(), marking: text, legs: z.array(leg) })

const live = z.looseObject({
  source: z.string(),
  layer: text,
  version: z.number(),
  last_read_at: time,
  holds_document: z.boolean().nullish(),
  last_read_error: z.looseObject({ message: z.string(), at: time }).nullish(),
  rejected: z.number().nullish(),
  ignored: z.looseObject({ version: z.number(), by: text, at: time }).nullish(),
  last_rejection: z.looseObject({ version: z.number().nullish(), by: text, reason: text, issues: z.array(z.string()).nullish(), at: time }).nullish(),
})

/** A drill, as a list of them has it, or its start. */
export const drillAnswer = z.looseObject({
  id: z.string(),
  route: z.string(),
  leg: text,
  fault: z.string(),
  share: z.number().nullish(),
  signed: z.boolean().nullish(),
  expires_at: z.number(),
  max_requests: z.number(),
  drilled: z.number().default(0),
  by: text,
  reason: text,
  ended_at: time,
  end_cause: text,
  header: text,
})

/** What `GET /status` answers: what of it is shown. */
export const statusAnswer = z.looseObject({
  routes: z.array(z.looseObject({ name: z.string(), chain, legs: z.array(leg), presets: z.array(preset).nullish() })),
  live: live.nullish(),
  breakers: z.array(z.looseObject({ provider: z.string(), region: text, state: z.string(), failures: z.number().nullish(), open_until: time })).default([]),
  cooldowns: z.array(z.looseObject({ provider: z.string(), model: z.string(), region: text, until: z.number() })).default([]),
  last_failures: z
    .array(z.looseObject({ provider: z.string(), model: z.string(), region: text, kind: z.string(), status: z.number().nullish(), at: z.number() }))
    .default([]),
  drills: z.array(drillAnswer).nullish(),
  open_runs: z.number().nullish(),
  at: time,
})

/** What `GET /status` answers. */
export type StatusAnswer = z.output<typeof statusAnswer>

/** One route of it. */
export type RouteStatus = StatusAnswer['routes'][number]

/** One leg of it. */
export type LegStatus = RouteStatus['legs'][number]

/** A drill. */
export type DrillStatus = z.output<typeof drillAnswer>
