import { createHash } from 'node:crypto'

import type { Caller, Identify } from '@understudy/config'
import { isRecord, isThenable } from '@understudy/core'

import type { IdentifyTrouble } from '../identify-faults.js'
import type { InboundRequest } from './request.js'

/** Who asks, and what events call the key. */
export interface KnownCaller {
  readonly caller: Caller | undefined
  readonly keyId: string | undefined
}

/** Who asks, or why the host's code did not say it. */
export type Identified = KnownCaller | { readonly trouble: IdentifyTrouble }

const NOBODY: KnownCaller = { caller: undefined, keyId: undefined }
const DIGITS = 16

/** Each of these may be a string or not there. */
const NAMES = ['keyId', 'key'] as const
const MEMBERS = [...NAMES, 'failoverDefaults'] as const

/** A name that is longer, or has other characters, may be a key or a person's. */
const PLAIN_NAME = /^[A-Za-z_]{1,24}$/
const MOST_NAMED = 5

/** Asks the host who asks. Never throws or rejects: what its code throws, or gives beside a caller, is a trouble. */
export function identifyCaller(
  identify: Identify | undefined,
  { method, path, query, headers }: InboundRequest,
): Identified | Promise<Identified> {
  if (identify === undefined) return NOBODY
  try {
    const result = identify({ method, path, query, headers })
    return isThenable(result) ? Promise.resolve(result).then(identified).catch(threw) : identified(result)
  } catch (error) {
    return threw(error)
  }
}

function threw(error: unknown): Identified {
  return { trouble: { type: 'threw', error } }
}

function identified(result: unknown): Identified {
  if (result === undefined || result === null) return NOBODY
  if (!isCaller(result)) return { trouble: { type: 'gave', came: cameOf(result) } }
  const { keyId, key } = result
  if (typeof keyId === 'string' && keyId !== '') return { caller: result, keyId }
  if (typeof key !== 'string' || key === '') return { caller: result, keyId: undefined }
  return { caller: result, keyId: createHash('sha256').update(key).digest('hex').slice(0, DIGITS) }
}

/**
 * Members beside those of a caller are the host's own, for its `authorize`; with none of a caller's it is something else, whose sender
 * must not pass as nobody. Of `failoverDefaults` whatever is wrong is put right when it is read.
 */
function isCaller(value: unknown): value is Caller {
  if (!isRecord(value) || wrongName(value) !== undefined) return false
  return MEMBERS.some((member) => member in value) || Object.keys(value).length === 0
}

function wrongName(value: Readonly<Record<string, unknown>>): (typeof NAMES)[number] | undefined {
  return NAMES.find((name) => value[name] !== undefined && value[name] !== null && typeof value[name] !== 'string')
}

function cameOf(value: unknown): string {
  if (typeof value === 'boolean') return String(value)
  if (!isRecord(value)) return Array.isArray(value) ? 'an array' : `a ${typeof value}`
  const wrong = wrongName(value)
  if (wrong !== undefined) return `an object whose \`${wrong}\` is no string`
  const names = Object.keys(value)
  const plain = names.filter((name) => PLAIN_NAME.test(name)).slice(0, MOST_NAMED)
  const more = names.length - plain.length
  const shown = plain.map((name) => `\`${name}\``)
  if (more > 0) shown.push(`${more} ${plain.length === 0 ? 'other' : 'more'}`)
  return `an object with ${shown.join(', ')} and none of ${MEMBERS.map((name) => `\`${name}\``).join(', ')}`
}
