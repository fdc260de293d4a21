import { z } from 'zod'

const text = z.string().trim().min(1).max(1_000)
const name = z.string().min(1).max(500)
const wholeMs = z.int().min(1)

const author = {
  actor: z.string().trim().min(1).max(200).optional(),
  reason: text,
}

const change = { ...author, expected_version: z.int().min(0).optional() }

/** The body of `POST /pin`. */
export const pinBody = z.strictObject({ ...change, route: name, preset: name, for_ms: wholeMs.optional() })

/** The body of `POST /unpin` and `POST /revert`. */
export const routeBody = z.strictObject({ ...change, route: name })

/** The body of `POST /restore`. */
export const restoreBody = z.strictObject({ ...change, version: z.int().min(1) })

/** The body of `POST /refresh`. */
export const refreshBody = z.strictObject({})

/** The body of `POST /try`. */
export const tryBody = z.strictObject({ route: name, preset: name.optional() })

/** The body of `POST /drills`. */
export const drillBody = z.strictObject({
  ...author,
  route: name,
  leg: name.optional(),
  fault: z.enum(['fail', 'cut', 'stall', 'corrupt']),
  share: z.number().gt(0).max(1).optional(),
  signed: z.literal(true).optional(),
  for_ms: wholeMs.max(3_600_000),
  max_requests: z.int().min(1).max(10_000),
})

/** The body of `POST /drills/end`. */
export const endDrillBody = z.strictObject({ ...author, id: name })
