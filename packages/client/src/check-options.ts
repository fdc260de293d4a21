import { ORDERS } from '@understudy/core'
import { isObject, memberOf } from './sdk-client.js'
import { resourceOf, sdkDialectOf } from './sdk-dialect.js'

const KNOWN: ReadonlySet<string> = new Set([
  'advanceOn',
  'breaker',
  'cooldown',
  'defaultParams',
  'fallback',
  'hopTimeoutMs',
  'idempotency',
  'idleTimeoutMs',
  'model',
  'on',
  'order',
  'priceHints',
  'provider',
  'retries',
  'windowMs',
])

const ENTRY = '[client, model], [client, model, defaultParams] or [client, model, defaultParams, provider]'

/** Throws a `TypeError` that names what is wrong, what it was and what would be right. */
export function checkOptions(client: unknown, options: unknown): void {
  if (!canBeWrapped(client)) {
    throw new TypeError('withFallback: the first argument must be a client of `openai` or `@anthropic-ai/sdk`')
  }
  if (!isObject(options)) throw new TypeError('withFallback: the second argument must be an object such as { fallback: [] }')
  const unknown = Object.keys(options).find((key) => !KNOWN.has(key))
  if (unknown !== undefined) throw new TypeError(`withFallback: there is no option \`${unknown}\``)

  const { fallback, idempotency } = options
  if (!Array.isArray(fallback)) throw new TypeError(`withFallback: \`fallback\` must be an array of ${ENTRY}`)
  for (const [index, entry] of fallback.entries()) checkEntry(index, entry)
  if (!['always', 'safe', 'never', undefined].some((word) => word === idempotency)) {
    throw new TypeError(`withFallback: \`idempotency\` must be 'always', 'safe' or 'never'; got ${shown(idempotency)}`)
  }
  const { order } = options
  if (order !== undefined && typeof order !== 'function' && !ORDERS.some((word) => word === order)) {
    throw new TypeError(`withFallback: \`order\` must be a function, or one of ${ORDERS.join(', ')}; got ${shown(order)}`)
  }
  checkParams('defaultParams', options['defaultParams'])
  for (const name of ['model', 'provider']) checkText(name, options[name])
  for (const name of ['windowMs', 'retries']) checkCount(name, options[name], 0)
  for (const name of ['hopTimeoutMs', 'idleTimeoutMs']) checkCount(name, options[name], 1)
}

/** Whether the client makes its requests where the SDKs do, so that they can be made elsewhere. */
function canBeWrapped(client: unknown): boolean {
  const dialect = sdkDialectOf(client)
  if (dialect === undefined || typeof memberOf(client, 'makeRequest') !== 'function') return false
  return isObject(memberOf(resourceOf(client, dialect), '_client'))
}

function checkEntry(index: number, entry: unknown): void {
  const at = `fallback[${index}]`
  if (!Array.isArray(entry) || entry.length < 2 || entry.length > 4) {
    throw new TypeError(`withFallback: \`${at}\` must be ${ENTRY}`)
  }
  const [client, , defaultParams, provider] = entry as readonly unknown[]
  if (sdkDialectOf(client) === undefined) {
    throw new TypeError(`withFallback: \`${at}[0]\` must be a client of \`openai\` or \`@anthropic-ai/sdk\``)
  }
  checkParams(`${at}[2]`, defaultParams)
  checkText(`${at}[3]`, provider)
}

function checkParams(path: string, value: unknown): void {
  if (value === undefined || isObject(value)) return
  throw new TypeError(`withFallback: \`${path}\` must be an object of parameters; got ${shown(value)}`)
}

function checkText(path: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return
  throw new TypeError(`withFallback: \`${path}\` must be a text that is not empty; got ${shown(value)}`)
}

function checkCount(path: string, value: unknown, least: number): void {
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= least)) return
  throw new TypeError(`withFallback: \`${path}\` must be an integer of at least ${least}; got ${shown(value)}`)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : typeof value === 'number' ? String(value) : typeof value
}
