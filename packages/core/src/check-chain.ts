import { DEFAULT_BREAKER, DEFAULT_RATIO } from './breaker/breaker-settings.js'
import type { ChainOptions } from './chain.js'
import type { CommitPoint } from './commit.js'
import { isFailureKind } from './failure/failure.js'
import type { AdvanceSet } from './failure/verdict.js'
import { isRecord } from './is-record.js'
import type { CustomLeg, Leg, LegLimits } from './leg.js'
import { ORDERS } from './policy/order.js'

const CHAIN_LIMITS = ['deadlineMs', 'windowMs', 'minAttemptMs', 'retries', 'maxRetryAfterMs'] as const
const LEG_LIMITS = [
  'connectTimeoutMs',
  'firstContentTimeoutMs',
  'idleTimeoutMs',
  'timeoutMs',
  'maxStreamMs',
  'finishGraceMs',
] as const satisfies readonly (keyof LegLimits)[]

/** Every option, so that one that is misspelt does not pass for its default. */
const OPTIONS = {
  legs: true,
  advanceOn: true,
  commit: true,
  retries: true,
  retryOn: true,
  maxRetryAfterMs: true,
  order: true,
  breaker: true,
  cooldown: true,
  name: true,
  on: true,
  clock: true,
  epoch: true,
  random: true,
  deadlineMs: true,
  windowMs: true,
  minAttemptMs: true,
} as const satisfies Record<keyof ChainOptions, true>

const CUSTOM_LEG = {
  name: true,
  open: true,
  limits: true,
  reasoning: true,
  retries: true,
  price: true,
  weight: true,
} as const satisfies Record<keyof CustomLeg, true>

const ADVANCE_SETS = {
  leg_faults: true,
  any: true,
  retryable: true,
  triggers: true,
} as const satisfies Record<AdvanceSet, true>

const COMMIT_POINTS = {
  first_content: true,
  first_chunk: true,
  established: true,
  complete: true,
} as const satisfies Record<CommitPoint, true>

/** What may be 0. */
const FROM_ZERO: ReadonlySet<string> = new Set(['windowMs', 'retries', 'maxRetryAfterMs'])
/** What may be `false`, for none. */
const OR_FALSE: ReadonlySet<string> = new Set(['deadlineMs', 'maxRetryAfterMs', 'maxStreamMs'])

/** Throws a `TypeError` that names the option, what it was and what would be right. */
export function checkChain(options: ChainOptions): void {
  if (!isRecord(options)) throw new TypeError(`createChain: write createChain({ legs: [...] }); got ${shown(options)}`)
  const { legs } = options
  if (!Array.isArray(legs)) throw new TypeError('createChain: `legs` must be an array of legs')
  if (legs.length === 0) throw new TypeError('createChain: `legs` is empty; give it at least one leg')
  checkNames('', options, OPTIONS)
  for (const name of CHAIN_LIMITS) check(name, name, options[name])
  checkChoices(options)
  checkBreaker(options.breaker)
  const seen = new Map<string, number>()
  for (const [index, leg] of options.legs.entries()) {
    checkLeg(leg, `legs[${index}]`)
    const identity = identityOf(leg)
    const first = seen.get(identity)
    if (first !== undefined) {
      throw new TypeError(`createChain: \`legs[${index}]\` is a repeated leg: it stands at position ${first} already; `
        + 'to ask one again, set its `retries`')
    }
    seen.set(identity, index)
  }
}

function checkChoices({ advanceOn, commit, retryOn, order, cooldown, name, on, random, clock, epoch }: ChainOptions): void {
  expect('advanceOn', advanceOn, isWord(ADVANCE_SETS, advanceOn) || areKinds(advanceOn), `one of ${wordsOf(ADVANCE_SETS)}, or an array of failure kinds`)
  expect('commit', commit, isWord(COMMIT_POINTS, commit), `one of ${wordsOf(COMMIT_POINTS)}`)
  expect('retryOn', retryOn, areKinds(retryOn), 'an array of failure kinds')
  expect('order', order, typeof order === 'function' || ORDERS.some((word) => word === order), `a function, or one of ${ORDERS.join(', ')}`)
  expect('cooldown', cooldown, typeof cooldown === 'boolean', 'true or false')
  expect('name', name, typeof name === 'string' && name !== '', 'a text that is not empty')
  expect('on', on, typeof on === 'function', 'a function')
  expect('random', random, typeof random === 'function', 'a function')
  expect('epoch', epoch, typeof epoch === 'function', 'a function')
  const isClock = isRecord(clock) && typeof clock.now === 'function' && typeof clock.schedule === 'function'
  expect('clock', clock, isClock, 'an object with now() and schedule()')
}

/** Its values are judged where they are read. */
function checkBreaker(breaker: unknown): void {
  if (breaker === undefined || breaker === false) return
  expect('breaker', breaker, isRecord(breaker), 'an object, or false for none')
  if (!isRecord(breaker)) return
  checkNames('breaker.', breaker, DEFAULT_BREAKER)
  if ('ratio' in breaker && isRecord(breaker.ratio)) checkNames('breaker.ratio.', breaker.ratio, DEFAULT_RATIO)
}

function checkLeg(leg: Leg | CustomLeg, path: string): void {
  const isCustom = isRecord(leg) && !('provider' in leg) && isName(leg.name)
  if (typeof leg?.open !== 'function' || !(isCustom || ('provider' in leg && isName(leg.provider) && isName(leg.model)))) {
    throw new TypeError(`createChain: \`${path}\` must be { name, open } or { provider, model, open }`)
  }
  // Whoever writes a whole leg may keep members of its own in it.
  if (isCustom && Object.getPrototypeOf(leg) === Object.prototype) checkNames(`${path}.`, leg, CUSTOM_LEG)
  check('retries', `${path}.retries`, leg.retries)
  for (const name of ['price', 'weight'] as const) {
    const value = leg[name]
    expect(`${path}.${name}`, value, typeof value === 'number' && Number.isFinite(value) && value >= 0, 'a number from 0 on')
  }
  expect(`${path}.reasoning`, leg.reasoning, typeof leg.reasoning === 'boolean', 'true or false')
  const { limits } = leg
  if (limits === undefined) return
  expect(`${path}.limits`, limits, isRecord(limits), 'an object')
  checkNames(`${path}.limits.`, limits, Object.fromEntries(LEG_LIMITS.map((name) => [name, true])))
  for (const name of LEG_LIMITS) check(name, `${path}.limits.${name}`, limits[name])
}

function identityOf(leg: Leg | CustomLeg): string {
  return JSON.stringify('provider' in leg ? [leg.provider, leg.model, leg.region] : [leg.name, leg.name, undefined])
}

function checkNames(path: string, given: object, known: Readonly<Record<string, unknown>>): void {
  const stranger = Object.keys(given).find((name) => !Object.hasOwn(known, name))
  if (stranger === undefined) return
  const place = LEG_LIMITS.some((name) => name === stranger) ? '; limits of an attempt stand in a leg\'s `limits`' : `; there are ${wordsOf(known)}`
  throw new TypeError(`createChain: \`${path}${stranger}\` is not known${place}`)
}

function expect(path: string, value: unknown, right: boolean, wanted: string): void {
  if (value !== undefined && !right) throw new TypeError(`createChain: \`${path}\` must be ${wanted}; got ${shown(value)}`)
}

function areKinds(value: unknown): boolean {
  return Array.isArray(value) && value.every(isFailureKind)
}

function isWord(words: Readonly<Record<string, true>>, value: unknown): boolean {
  return typeof value === 'string' && Object.hasOwn(words, value)
}

function wordsOf(words: Readonly<Record<string, unknown>>): string {
  return Object.keys(words).join(', ')
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? `[${value.map(shown).join(', ')}]` : 'an array'
  if (value === null) return 'null'
  return typeof value === 'string' ? `'${value}'` : typeof value
}

function check(name: string, path: string, value: unknown): void {
  if (value === undefined || (value === false && OR_FALSE.has(name))) return
  const least = FROM_ZERO.has(name) ? 0 : 1
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return
  const alternative = OR_FALSE.has(name) ? ', or false for none' : ''
  const received = typeof value === 'number' ? value : typeof value
  throw new TypeError(`createChain: \`${path}\` must be an integer of at least ${least}${alternative}; got ${received}`)
}
