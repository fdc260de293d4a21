import { isRecord } from '@understudy/core'
import type { HealthStore } from '@understudy/core'
import { z } from 'zod'
import type { Logger } from '../logger.js'
import type { ChainSource } from '../live/chain-source.js'
import type { FallbackOptions, LiveChainsOptions, PriceHints, SharedHealthOptions } from '../options.js'
import { breaker } from './breaker.js'
import { strictObject } from './check-object.js'
import { choose } from './choose.js'
import { providerHints } from './leg.js'
import { mountHints, mountOptions } from './mount.js'
import { nameIssue } from './names.js'
import { ms, share } from './numbers.js'
import type { Authorize, Identify } from '../caller-options.js'
import { advanceOn, routeSettings } from './route.js'
import { boolean, oneOf, rule, secretRule, wrong } from './rule.js'

const LEVELS = ['debug', 'info', 'warn', 'error']
const A_LOGGER = 'an object with the methods debug, info, warn and error'

function isLogger(value: unknown): value is Logger {
  return typeof value === 'object' && value !== null && missingLevels(value).length === 0
}

function missingLevels(value: object): readonly string[] {
  return LEVELS.filter((level) => {
    try {
      return typeof Reflect.get(value, level) !== 'function'
    } catch {
      return true
    }
  })
}

const logger = z.custom<Logger>(isLogger, {
  error: ({ input }) => {
    const missing = isRecord(input) ? missingLevels(input) : LEVELS
    return missing.length === LEVELS.length ? wrong(input, A_LOGGER) : `is an object without ${missing.join(', ')}; it must be ${A_LOGGER}`
  },
})

function isProxy(value: unknown): value is string | false {
  if (value === false || value === 'environment') return true
  return typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
}

function isSource(value: unknown): value is ChainSource {
  if (typeof value !== 'object' || value === null) return false
  try {
    return typeof Reflect.get(value, 'read') === 'function' && nameIssue(Reflect.get(value, 'name')) === undefined
  } catch {
    return false
  }
}

const path = rule(
  (value): value is string => typeof value === 'string' && value !== '' && !value.includes('\0'),
  'the path of a file',
)

const chains: z.ZodType<LiveChainsOptions> = strictObject({
  source: secretRule(isSource, 'a source, such as fileSource({ path })'),
  pollMs: ms.optional(),
  jitter: rule(share, 'a share from 0 to 1').optional(),
  readTimeoutMs: ms.optional(),
  lastKnownGood: path.optional(),
} satisfies { readonly [Key in keyof LiveChainsOptions]-?: z.ZodType<LiveChainsOptions[Key]> })

const noChains = z.custom<LiveChainsOptions>(() => false, { error: ({ input }) => wrong(input, '{ source, pollMs?, lastKnownGood? }') })

const STORE_METHODS = ['read', 'admit', 'settle', 'rest', 'restOf'] as const satisfies readonly (keyof HealthStore)[]

function isStore(value: unknown): value is HealthStore {
  if (typeof value !== 'object' || value === null) return false
  try {
    return STORE_METHODS.every((method) => typeof Reflect.get(value, method) === 'function')
  } catch {
    return false
  }
}

const A_STORE = 'the store itself belongs into the member store: health: { store }'

const health: z.ZodType<SharedHealthOptions> = strictObject({
  store: secretRule(isStore, `a store with the methods ${STORE_METHODS.join(', ')}`),
  admitWaitMs: ms.optional(),
  settleWaitMs: ms.optional(),
  pauseMs: ms.optional(),
  refreshMs: ms.optional(),
} satisfies { readonly [Key in keyof SharedHealthOptions]-?: z.ZodType<SharedHealthOptions[Key]> }, {
  ...Object.fromEntries(STORE_METHODS.map((method) => [method, A_STORE])),
  breaker: 'is an option beside this one: { breaker: {...}, health: { store } }',
  cooldown: 'is an option beside this one: { cooldown: false, health: { store } }',
})

const noHealth = z.custom<SharedHealthOptions>(() => false, { error: ({ input }) => wrong(input, '{ store, admitWaitMs?, ... }') })

const ownOptions = {
  chains: choose<LiveChainsOptions>((value) => (isRecord(value) ? chains : noChains)).optional(),
  liveChanges: oneOf(['any', 'presets']).optional(),
  providers: z.unknown().optional(),
  identify: rule((value): value is Identify => typeof value === 'function', 'a function (request) that gives the caller').optional(),
  authorize: rule((value): value is Authorize => typeof value === 'function', 'a function (attempt)').optional(),
  callerChains: boolean.optional(),
  callerModels: z.unknown().optional(),
  callerAdvanceOn: advanceOn.optional(),
  providerValidation: oneOf(['strict', 'lenient']).optional(),
  breaker: breaker.optional(),
  cooldown: boolean.optional(),
  health: choose<SharedHealthOptions>((value) => (isRecord(value) ? health : noHealth)).optional(),
  whenOpen: oneOf(['next', 'stop']).optional(),
  whenAllOpen: oneOf(['skip', 'try']).optional(),
  priceHints: rule(
    (value): value is PriceHints => typeof value === 'function',
    "a function (request) that gives { 'provider/model': price }",
  ).optional(),
  logger: logger.optional(),
  proxy: secretRule(isProxy, '\'environment\', false, or an http:// or https:// URL').optional(),
}

/** What stands beside the routes. `providers` and `callerModels` are looked at one by one. */
export const fallbackOptions = strictObject({
  ...ownOptions,
  ...mountOptions,
  ...routeSettings,
} satisfies { readonly [Key in keyof FallbackOptions]-?: z.ZodType }, {
  ...mountHints,
  ...providerHints,
  healthStore: 'is not known; the store belongs into health: { store }',
  legs: 'belongs to a route; options hold for all routes',
  presets: 'belongs to a route; options hold for all routes',
  routes: 'is the first argument: fallbackMiddleware(routes, options)',
})

const OFF_MOUNT = 'belongs to createFallback, and this Fallback is made already; only mount options can stand beside it'

/** What stands beside a `Fallback` that is made already. */
export const mountOnly = strictObject(mountOptions, {
  ...Object.fromEntries([...Object.keys(ownOptions), ...Object.keys(routeSettings)].map((key) => [key, OFF_MOUNT])),
  ...mountHints,
})
