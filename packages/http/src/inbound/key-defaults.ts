import { quote, suggestName } from '@understudy/config'
import type { Caller } from '@understudy/config'

import type { Warn } from '../warnings.js'
import type { Trigger } from './caller-fields.js'
import { FIRST_TOKEN_MS, MAX_ENTRIES, TIMEOUT_MS, TRIGGERS } from './caller-fields.js'

/** The chain behind a key, with everything in range. */
export interface KeyDefaults {
  readonly models: readonly string[]
  readonly timeoutMs: number | undefined
  readonly firstTokenTimeoutMs: number | undefined
  readonly on: readonly Trigger[] | undefined
}

/** Reads the chain behind a caller's key; `undefined` if there is none that can be used. */
export type ReadKeyDefaults = (caller: Caller | undefined, keyId: string | undefined) => KeyDefaults | undefined

/** What the defaults may say. */
const MEMBERS: readonly string[] = ['models', 'timeoutMs', 'firstTokenTimeoutMs', 'on']
/** So many of what is wrong are named. */
const MOST_TOLD = 5

/** So many keys are remembered as warned of. */
const MOST_KEYS = 1_000

/**
 * What an administrator wrote is put right and not refused: it is no fault of the request. `isKnown` = whether a name can be
 * asked for.
 */
export function createKeyDefaultsReader(isKnown: (name: string) => boolean, warn: Warn): ReadKeyDefaults {
  const warned = new Set<string>()

  return (caller, keyId) => {
    const written: unknown = caller?.failoverDefaults
    if (typeof written !== 'object' || written === null) return undefined
    const troubles: string[] = Object.keys(written).filter((name) => !MEMBERS.includes(name)).slice(0, MOST_TOLD)
      .map((name) => `${quote(name)} is not known: ${suggestName(name, MEMBERS)}`)
    const models = readModels(Reflect.get(written, 'models'), isKnown, troubles)
    const defaults: KeyDefaults = {
      models,
      timeoutMs: clamped('timeoutMs', Reflect.get(written, 'timeoutMs'), TIMEOUT_MS, troubles),
      firstTokenTimeoutMs: clamped('firstTokenTimeoutMs', Reflect.get(written, 'firstTokenTimeoutMs'), FIRST_TOKEN_MS, troubles),
      on: readTriggers(Reflect.get(written, 'on'), troubles),
    }
    if (troubles.length > 0) warnOnce(keyId ?? '', troubles)
    return models.length === 0 ? undefined : defaults
  }

  function warnOnce(keyId: string, troubles: readonly string[]): void {
    if (warned.has(keyId)) return
    if (warned.size >= MOST_KEYS) warned.clear()
    warned.add(keyId)
    warn('UNDERSTUDY_FAILOVER_DEFAULTS', `failoverDefaults of a caller key: ${troubles.join('; ')}`, { callerKeyId: keyId })
  }
}

function readModels(value: unknown, isKnown: (name: string) => boolean, troubles: string[]): readonly string[] {
  if (!Array.isArray(value)) {
    troubles.push('models is no list')
    return []
  }
  const names = [...new Set<unknown>(value)]
  const known = names.filter((name): name is string => typeof name === 'string' && isKnown(name))
  if (known.length < names.length) troubles.push(`models that are not known are left out: ${namesOf(names, known)}`)
  if (known.length > MAX_ENTRIES) troubles.push(`models is cut to ${MAX_ENTRIES}`)
  return known.slice(0, MAX_ENTRIES)
}

function namesOf(given: readonly unknown[], known: readonly unknown[]): string {
  const strange = given.filter((name) => !known.includes(name))
  return strange.slice(0, MOST_TOLD).map((name) => (typeof name === 'string' ? quote(name) : typeof name)).join(', ')
}

function clamped(
  name: string,
  value: unknown,
  { least, most }: { readonly least: number; readonly most: number },
  troubles: string[],
): number | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || Number.isNaN(value)) {
    troubles.push(`${name} is no number`)
    return undefined
  }
  const within = Math.min(most, Math.max(least, Math.round(value)))
  if (within !== value) troubles.push(`${name} is taken as ${within}`)
  return within
}

function readTriggers(value: unknown, troubles: string[]): readonly Trigger[] | undefined {
  if (value === undefined || value === null) return undefined
  const given: readonly unknown[] = Array.isArray(value) ? value : []
  const known = TRIGGERS.filter((trigger) => given.includes(trigger))
  if (!Array.isArray(value)) troubles.push('on is no list')
  else if (known.length < new Set(given).size) {
    troubles.push(`triggers that are not known are left out: ${namesOf([...new Set(given)], known)}; there are ${TRIGGERS.join(', ')}`)
  }
  return Array.isArray(value) ? known : undefined
}
