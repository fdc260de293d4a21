import type { CustomLeg } from '@understudy/core'
import type { z } from 'zod'
import type { CustomLegInput, ProviderLegInput } from '../routes-input.js'
import { strictObject } from './check-object.js'
import { legLimits } from './limits.js'
import { nameIssue } from './names.js'
import { count, fromZero } from './numbers.js'
import { parameterDefaults } from './parameter-defaults.js'
import { boolean, rule } from './rule.js'

type Shape<Members> = { readonly [Key in keyof Members]-?: z.ZodType<Members[Key]> }

const name = rule(
  (value): value is string => nameIssue(value) === undefined,
  'a text that is not empty and without line breaks or other control characters',
)

const legSettings = {
  ...legLimits,
  defaults: parameterDefaults.optional(),
  reasoning: boolean.optional(),
  retries: count.optional(),
  price: fromZero.optional(),
  weight: fromZero.optional(),
}

const AT_PROVIDER = 'belongs in options.providers: { providers: { name: { dialect, baseURL, apiKey } } }'

/** Where to put what belongs to a provider, for people who write it beside the model or into the options. */
export const providerHints = { apiKey: AT_PROVIDER, baseURL: AT_PROVIDER, headers: AT_PROVIDER, dialect: AT_PROVIDER }

/** A leg of a provider. */
export const providerLeg = strictObject({
  provider: name,
  model: name,
  region: name.optional(),
  ...legSettings,
} satisfies Shape<ProviderLegInput>, providerHints)

/** A leg of the host's own code. */
export const customLeg = strictObject({
  name,
  open: rule(
    (value): value is CustomLeg['open'] => typeof value === 'function',
    'a function (request, { signal }) that gives an async iterable',
  ),
  ...legSettings,
} satisfies Shape<CustomLegInput>)
