import { DEFAULT_BREAKER, FAILURE_KINDS, ORDERS } from '@understudy/core'
import { isBedrockClient } from './bedrock-client.js'
import { isObject } from './sdk-client.js'
import { sdkDialectOf } from './sdk-dialect.js'

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

const BREAKER: ReadonlySet<string> = new Set(Object.keys(DEFAULT_BREAKER))

/** As messages name them. */
const SDKS = '`openai`, `@anthropic-ai/sdk`, `@google/genai` or `@aws-sdk/client-bedrock-runtime`'

const ENTRY = '[client, model], [client, model, defaultParams] or [client, model, defaultParams, provider]'

/** Throws a `TypeError` that names what is wrong, what it was and what would be right. */
export function checkOptions(client: unknown, options: unknown): void {
  if (!canBeWrapped(client)) {
    throw new TypeError(`withFallback: the first argument must be a client of ${SDKS}`)
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
  checkText('model', options['model'])
  checkName('provider', options['provider'])
  checkKinds(options['advanceOn'])
  checkBreaker(options['breaker'])
  for (const name of ['on', 'priceHints']) checkType(name, options[name], 'function', 'a function')
  checkType('cooldown', options['cooldown'], 'boolean', 'true or false')
  for (const name of ['windowMs', 'retries']) checkCount(name, options[name], 0)
  for (const name of ['hopTimeoutMs', 'idleTimeoutMs']) checkCount(name, options[name], 1)
}

/** Whether the client makes its requests where the SDKs do, so that they can be made elsewhere. */
function canBeWrapped(client: unknown): boolean {
  return isBedrockClient(client) || (isObject(client) && sdkDialectOf(client)?.canBeWrapped(client) === true)
}

function checkEntry(index: number, entry: unknown): void {
  const at = `fallback[${index}]`
  if (!Array.isArray(entry) || entry.length < 2 || entry.length > 4) {
    throw new TypeError(`withFallback: \`${at}\` must be ${ENTRY}`)
  }
  const [client, model, defaultParams, provider] = entry as readonly unknown[]
  if (sdkDialectOf(client) === undefined && !isBedrockClient(client)) {
    throw new TypeError(`withFallback: \`${at}[0]\` must be a client of ${SDKS}`)
  }
  // An empty one is told when the entry is asked, as an `UntranslatableModelError`.
  if (model !== undefined && typeof model !== 'string') throw new TypeError(`withFallback: \`${at}[1]\` must be a text; got ${shown(model)}`)
  checkParams(`${at}[2]`, defaultParams)
  checkName(`${at}[3]`, provider)
}

function checkParams(path: string, value: unknown): void {
  if (value === undefined || isObject(value)) return
  throw new TypeError(`withFallback: \`${path}\` must be an object of parameters; got ${shown(value)}`)
}

function checkText(path: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && value !== '')) return
  throw new TypeError(`withFallback: \`${path}\` must be a text that is not empty; got ${shown(value)}`)
}

/** A name stands in headers and in log lines. */
function checkName(path: string, value: unknown): void {
  checkText(path, value)
  if (typeof value !== 'string' || !/\p{Cc}/u.test(value)) return
  throw new TypeError(`withFallback: \`${path}\` must have no control characters`)
}

/** Whether a word names a set, the core says. */
function checkKinds(value: unknown): void {
  if (value === undefined || typeof value === 'string') return
  if (!Array.isArray(value)) throw new TypeError(`withFallback: \`advanceOn\` must be a set of failures or a list of kinds; got ${shown(value)}`)
  const wrong: unknown = value.find((kind) => !FAILURE_KINDS.some((known) => known === kind))
  if (wrong === undefined && !value.includes(undefined)) return
  throw new TypeError(`withFallback: \`advanceOn\` must list kinds among ${FAILURE_KINDS.join(', ')}; got ${shown(wrong)}`)
}

/** What an option of the breaker may be, the core says. */
function checkBreaker(value: unknown): void {
  if (value === undefined || value === false) return
  if (!isObject(value) || Array.isArray(value)) {
    throw new TypeError(`withFallback: \`breaker\` must be false or an object of options; got ${shown(value)}`)
  }
  const unknown = Object.keys(value).find((key) => !BREAKER.has(key))
  if (unknown !== undefined) throw new TypeError(`withFallback: there is no option \`breaker.${unknown}\``)
}

function checkType(path: string, value: unknown, type: 'function' | 'boolean', wanted: string): void {
  if (value === undefined || typeof value === type) return
  throw new TypeError(`withFallback: \`${path}\` must be ${wanted}; got ${shown(value)}`)
}

function checkCount(path: string, value: unknown, least: number): void {
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= least)) return
  throw new TypeError(`withFallback: \`${path}\` must be an integer of at least ${least}; got ${shown(value)}`)
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : typeof value === 'number' ? String(value) : typeof value
}
