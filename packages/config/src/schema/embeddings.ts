import type { ChainLimits } from '@understudy/core'
import type { z } from 'zod'
import type { EmbeddingLegOptions, EmbeddingRouteOptions, EmbeddingRouteSettings } from '../routes-input.js'
import { strictObject } from './check-object.js'
import { providerHints } from './leg.js'
import { chainLimits, legLimits } from './limits.js'
import { nameIssue } from './names.js'
import { atLeastOne, count, fromZero } from './numbers.js'
import { parameterDefaults } from './parameter-defaults.js'
import { routeSettings } from './route.js'
import { rule } from './rule.js'

const name = rule(
  (value): value is string => nameIssue(value) === undefined,
  'a text that is not empty and without line breaks or other control characters',
)

const OF_CHAT = 'belongs to a route of chat completions; `dimensions` makes this one a route of embeddings'

const HINTS = {
  advanceOn: 'is not to be chosen here; whatever fails, the next leg of embeddings is asked',
  ...Object.fromEntries(['bufferedVia', 'commit', 'presets', 'active', 'translate', 'untranslatable', 'waitingComment'].map((key) => [key, OF_CHAT])),
}

const { idempotency, order, retries, retryOn, maxRetryAfterMs, defaults } = routeSettings

/** What a route of embeddings may set, in the options too. */
export const embeddingSettings = {
  ...legLimits,
  ...chainLimits satisfies { readonly [Key in keyof ChainLimits]-?: z.ZodType },
  idempotency,
  order,
  retries,
  retryOn,
  maxRetryAfterMs,
  defaults,
} satisfies { readonly [Key in keyof EmbeddingRouteSettings]-?: z.ZodType<EmbeddingRouteSettings[Key]> }

/** A route of embeddings. Its legs are looked at one by one. */
export const embeddingRoute = strictObject({
  ...embeddingSettings,
  legs: rule((value): value is EmbeddingRouteOptions['legs'] => Array.isArray(value) && value.length > 0,
    'a list of legs, at least one: [\'openai/text-embedding-3-small\', ...]'),
  dimensions: atLeastOne,
}, HINTS)

/** A leg of embeddings. */
export const embeddingLeg = strictObject({
  provider: name,
  model: name,
  region: name.optional(),
  ...legLimits,
  dimensions: rule((value): value is false => value === false,
    'false, for a model whose vectors have one length; the route says how long they are').optional(),
  batchSize: atLeastOne.optional(),
  defaults: parameterDefaults.optional(),
  retries: count.optional(),
  price: fromZero.optional(),
  weight: fromZero.optional(),
} satisfies { readonly [Key in keyof EmbeddingLegOptions]-?: z.ZodType<EmbeddingLegOptions[Key]> }, {
  ...providerHints,
  name: 'belongs to a leg of the host\'s own code; embeddings are made by providers',
  open: 'belongs to a leg of the host\'s own code; embeddings are made by providers',
  reasoning: 'is for models that answer; a model of embeddings does not reason',
})
