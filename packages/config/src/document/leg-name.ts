import type { LegEntry } from './document-schema.js'
import type { NamedLeg } from './known-chains.js'
import type { ResolvedLeg } from '../resolved-config.js'

/** What stands for the provider of a leg of the host's own code. */
export const CUSTOM = 'custom'

/** An entry in one form, its name split at the first slash. */
export function namedLeg(entry: LegEntry): NamedLeg {
  if (typeof entry !== 'string') {
    const { provider, model, region, timeout_ms: timeoutMs } = entry
    return { provider, model, region, timeoutMs }
  }
  const slash = entry.indexOf('/')
  return { provider: entry.slice(0, slash), model: entry.slice(slash + 1), region: undefined, timeoutMs: undefined }
}

/** Two entries of one identity are the same leg. */
export function identityOf({ provider, model, region }: Pick<NamedLeg, 'provider' | 'model' | 'region'>): string {
  return JSON.stringify([provider, model, region ?? null])
}

/** The identity of a leg that is made, as documents say it. */
export function identityOfLeg(leg: ResolvedLeg): string {
  if (leg.type === 'custom') return identityOf({ provider: CUSTOM, model: leg.leg.name, region: undefined })
  return identityOf({ provider: leg.provider.name, model: leg.model, region: leg.region })
}

/** A leg as a document would name it. */
export function entryOf(leg: ResolvedLeg): LegEntry {
  if (leg.type === 'custom') return `${CUSTOM}/${leg.leg.name}`
  const { provider: { name }, model, region } = leg
  return region === undefined ? `${name}/${model}` : { provider: name, model, region }
}

/** A leg as logs, events and snapshots call it: `provider/model`, a custom leg `name/name`. */
export function shownLeg(leg: ResolvedLeg): string {
  return leg.type === 'custom' ? `${leg.leg.name}/${leg.leg.name}` : `${leg.provider.name}/${leg.model}`
}
