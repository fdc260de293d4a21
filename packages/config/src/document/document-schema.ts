import { z } from 'zod'
import { suggestName } from '../nearest-name.js'
import { nameIssue } from '../schema/names.js'
import { wrong } from '../schema/rule.js'

const LONGEST_NAME = 200
const LONGEST_REASON = 1_000
/** Pins are counted from such times, and a slip of the pen must not make one that never ends. */
const LATEST_TIME = Date.UTC(2100, 0, 1)

/** The highest version that a document can have. Far below the highest whole number, behind which no change could follow. */
export const MOST_VERSION = 9_000_000_000_000_000

const says = (right: string) => ({ error: ({ input }: { readonly input?: unknown }) => wrong(input, right) })

/** An object that refuses every other key, and says for each what was probably meant: one line for each, which `shapeIssues` takes apart again. */
function exactly<Shape extends z.core.$ZodLooseShape>(shape: Shape, right: string) {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) => issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `is not known here; ${suggestName(key, known)}`).join('\n')
      : wrong(issue.input, right),
  })
}

function text(right: string, most = LONGEST_NAME) {
  const message = says(`${right}, at most ${most} characters`)
  return z.string(message).max(most, message).regex(/\S/, message)
}

/** What stands in headers, trails and metrics, as in code. */
function name(right: string, most = LONGEST_NAME) {
  return text(right, most).refine(isFit, says(`${right} ${FIT}`))
}

const FIT = 'without line breaks or other control characters'

function isFit(value: string): boolean {
  return value === '' || nameIssue(value) === undefined
}

const TIME = 'a time such as 2030-01-31T02:00:00Z'

const time = z.iso.datetime({ offset: true, ...says(TIME) })
  .refine((value) => !(Date.parse(value) >= LATEST_TIME), says(`${TIME}, before the year 2100`))

const LEG = '"provider/model" or { provider, model }'

const legName = z.string(says(LEG)).regex(/^[^/]+\/.+$/s, says(LEG)).refine(isFit, says(`${LEG}, ${FIT}`))

const timeoutMs = 'a whole number of milliseconds from 500 to 120000'

const leg = exactly({
  provider: name('the name of a provider'),
  model: name('the name of a model'),
  region: name('the name of a region').optional(),
  timeout_ms: z.int(says(timeoutMs)).min(500, says(timeoutMs)).max(120_000, says(timeoutMs)).optional()
    .describe('The limit of an attempt until its commit, over the one that the code sets.'),
}, LEG)

const LEGS = 'a list of 1 to 4 legs'

const chain = z.array(z.union([legName, leg]), says(LEGS)).min(1, says(LEGS)).max(4, says(LEGS))
  .describe('The legs in the order in which they are tried. A leg of the code keeps its settings; a custom leg is "custom/<name>".')

const marking = name('a text', 100).describe('Stands in the header understudy-degraded of every response, while the preset is active.')

const preset = z.union([chain, exactly({ chain, marking: marking.optional() }, 'a list of legs, or { chain, marking }')])

const presetsRight = 'an object: preset name -> legs, with "normal" among them'

const presets = z.record(z.string(), preset, says(presetsRight))
  .describe('Reviewed chains by name. "normal" is the one that a pin goes back to.')

const active = name('the name of a preset').describe('The preset that is selected.')
const expiresAt = time.describe('When a preset other than "normal" goes back to "normal" by itself. Default 4 hours after updated_at.')

const ROUTE = '{ chain }, { presets, active } or { active }'

/** What a document says of one route. */
export const routeEntry = z.union([
  exactly({ chain }, ROUTE),
  exactly({ presets, active, expires_at: expiresAt.optional() }, ROUTE),
  exactly({ active, expires_at: expiresAt.optional() }, ROUTE),
])

const versionRight = 'a whole number above 0'

const about = {
  $schema: z.string().optional().describe('Where an editor finds this schema.'),
  version: z.int(says(versionRight)).min(1, says(versionRight)).max(MOST_VERSION, says(`${versionRight}, at most ${MOST_VERSION}`))
    .describe('Only a higher one than the one that runs is applied.'),
  updated_by: text('who changes it').describe('Who changes it. Stands in logs, events and the history.'),
  reason: text('why it is changed', LONGEST_REASON).describe('Why it is changed. Stands in logs, events and the history.'),
  updated_at: time.optional().describe('When it was changed.'),
}

const routes = z.record(z.string(), routeEntry, says('an object: route name -> { chain }, { presets, active } or { active }'))
  .describe('The routes that do not run as the code has them.')

/** The form of a document for a server with one route. */
export const shortDocument = exactly({ ...about, chain }, 'an object')

/** The form of a document that names its routes. */
export const longDocument = exactly({ ...about, routes }, 'an object')

/**
 * The live document of the chains, as it stands in a file or in a store: snake_case. It is the shape alone; whether the legs, the routes
 * and the presets are there is judged by `checkDocument`, which also says better what is wrong.
 */
export const chainDocument = z.union([longDocument, shortDocument])

/** A document of the right shape. */
export type ChainDocument = z.output<typeof chainDocument>

/** What a document says of one route. */
export type RouteEntry = z.output<typeof routeEntry>

/** A leg as a document names it. */
export type LegEntry = z.output<typeof chain>[number]

/** A chain of a document. */
export type ChainEntries = z.output<typeof chain>

/** A preset of a document. */
export type PresetEntry = z.output<typeof preset>
