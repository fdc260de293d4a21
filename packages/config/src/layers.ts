import type { ChainLimits, LegLimits } from '@understudy/core'
import type { ParameterDefaults } from './routes-input.js'

/** The limits of an attempt, a later layer over the earlier ones where it says something. */
export function layerLegLimits(layers: readonly LegLimits[]): LegLimits {
  return layers.reduce<LegLimits>((under, over) => dropUnset({
    connectTimeoutMs: over.connectTimeoutMs ?? under.connectTimeoutMs,
    firstContentTimeoutMs: over.firstContentTimeoutMs ?? under.firstContentTimeoutMs,
    idleTimeoutMs: over.idleTimeoutMs ?? under.idleTimeoutMs,
    timeoutMs: over.timeoutMs ?? under.timeoutMs,
    maxStreamMs: over.maxStreamMs ?? under.maxStreamMs,
    finishGraceMs: over.finishGraceMs ?? under.finishGraceMs,
  }), {})
}

/** The limits of a chain, a later layer over the earlier ones where it says something. */
export function layerChainLimits(layers: readonly ChainLimits[]): ChainLimits {
  return layers.reduce<ChainLimits>((under, over) => dropUnset({
    deadlineMs: over.deadlineMs ?? under.deadlineMs,
    windowMs: over.windowMs ?? under.windowMs,
    minAttemptMs: over.minAttemptMs ?? under.minAttemptMs,
  }), {})
}

/** Parameters, a later layer over the earlier ones. */
export function layerDefaults(layers: readonly (ParameterDefaults | undefined)[]): ParameterDefaults {
  const entries = layers.flatMap((layer) => Object.entries(layer ?? {}))
  return Object.fromEntries(entries)
}

function dropUnset<Members extends object>(members: Members): Partial<Members> {
  const set: Partial<Members> = { ...members }
  for (const key in set) if (set[key] === undefined) Reflect.deleteProperty(set, key)
  return set
}
