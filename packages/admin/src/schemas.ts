import { suggestName } from '@understudy/http'
import { z } from 'zod'

/** What came is not repeated, unless it is a number: it may be anything. */
function says(right: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) => {
      if (input === undefined) return `is missing; it must be ${right}`
      return typeof input === 'number' ? `is ${input}; it must be ${right}` : `must be ${right}`
    },
  }
}

/** An object that refuses every other member: one line for each, in their order, which `readJson` takes apart again. */
function body<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return 'must be a JSON object'
      return issue.keys.map((key) => `is not known here${known.length === 0 ? '' : `; ${suggestName(key, known)}`}`).join('\n')
    },
  })
}

function text(right: string, most: number) {
  const message = says(`${right}: a text of 1 to ${most} characters`)
  return z.string(message).trim().min(1, message).max(most, message)
}

function whole(right: string, most?: number) {
  const message = says(right)
  const least = z.int(message).min(1, message)
  return most === undefined ? least : least.max(most, message)
}

function name(right: string) {
  const message = says(right)
  return z.string(message).min(1, message).max(500, message)
}

const author = {
  actor: text('who makes the change', 200).optional(),
  reason: text('why the change is made', 1_000),
}

const route = name('the name of a route')
const expected = says('the version that you saw, a whole number from 0')

const change = { ...author, expected_version: z.int(expected).min(0, expected).optional() }

/** The body of `POST /pin`. */
export const pinBody = body({
  ...change, route, preset: name('the name of a preset'),
  for_ms: whole('a time in milliseconds, a whole number from 1 to 604800000 (7 days)', 604_800_000).optional(),
})

/** The body of `POST /unpin` and `POST /revert`. */
export const routeBody = body({ ...change, route })

/** The body of `POST /restore`. */
export const restoreBody = body({ ...change, version: whole('a version, a whole number from 1') })

/** The body of `POST /refresh`. */
export const refreshBody = body({})

/** The body of `POST /try`. */
export const tryBody = body({ route, preset: name('the name of a preset').optional() })

const FAULTS = ['fail', 'cut', 'stall', 'corrupt'] as const
const share = says('a part of the requests, over 0 and at most 1')

/** The body of `POST /drills`. */
export const drillBody = body({
  ...author,
  route,
  leg: name('the name of a leg, provider/model').optional(),
  fault: z.enum(FAULTS, says(`one of ${FAULTS.join(', ')}`)),
  share: z.number(share).gt(0, share).max(1, share).optional(),
  signed: z.literal(true, says('true, or left out')).optional(),
  for_ms: whole('a time in milliseconds, a whole number from 1 to 3600000 (an hour)', 3_600_000),
  max_requests: whole('a whole number from 1 to 10000', 10_000),
})

/** The body of `POST /drills/end`. */
export const endDrillBody = body({ ...author, id: name('the id of a drill') })
