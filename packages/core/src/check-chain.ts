import type { ChainOptions } from './chain.js'
import { ORDERS } from './policy/order.js'

const CHAIN_LIMITS = ['deadlineMs', 'windowMs', 'minAttemptMs', 'retries', 'maxRetryAfterMs'] as const
const LEG_LIMITS = [
  'connectTimeoutMs',
  'firstContentTimeoutMs',
  'idleTimeoutMs',
  'timeoutMs',
  'maxStreamMs',
  'finishGraceMs',
] as const

/** What may be 0. */
const FROM_ZERO: ReadonlySet<string> = new Set(['windowMs', 'retries', 'maxRetryAfterMs'])
/** What may be `false`, for none. */
const OR_FALSE: ReadonlySet<string> = new Set(['deadlineMs', 'maxRetryAfterMs', 'maxStreamMs'])

/** Throws a `TypeError` that names the option, what it was and what would be right. */
export function checkChain(options: ChainOptions): void {
  const { legs } = options
  if (!Array.isArray(legs)) throw new TypeError('createChain: `legs` must be an array of legs')
  if (legs.length === 0) throw new TypeError('createChain: `legs` is empty; give it at least one leg')
  for (const name of CHAIN_LIMITS) check(name, name, options[name])
  checkOrder(options.order)
  for (const [index, leg] of options.legs.entries()) {
    if (typeof leg?.open !== 'function' || !('name' in leg || ('provider' in leg && 'model' in leg))) {
      throw new TypeError(`createChain: \`legs[${index}]\` must be { name, open } or { provider, model, open }`)
    }
    check('retries', `legs[${index}].retries`, leg.retries)
    for (const name of LEG_LIMITS) check(name, `legs[${index}].limits.${name}`, leg.limits?.[name])
  }
}

function checkOrder(order: unknown): void {
  if (order === undefined || typeof order === 'function' || ORDERS.some((name) => name === order)) return
  throw new TypeError(`createChain: \`order\` must be a function, or one of ${ORDERS.join(', ')}; got ${shown(order)}`)
}

function shown(value: unknown): string {
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
