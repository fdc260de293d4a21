/** What of a leg its health hangs on. */
export interface LegIdentity {
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
  /**
   * What the leg is configured with, where `model` is what one request asks it for (a leg `provider/*`). Its memory hangs on this,
   * or clients would fill it with names.
   */
  readonly configuredModel?: string | undefined
}

/** The leg itself, whatever it was asked for. */
export function configuredLeg({ provider, model, region, configuredModel = model }: LegIdentity): LegIdentity {
  return region === undefined ? { provider, model: configuredModel } : { provider, model: configuredModel, region }
}

/** The name of the breaker that stands for a leg: its provider, and its region if it has one. */
export function breakerKey({ provider, region }: Pick<LegIdentity, 'provider' | 'region'>): string {
  return region === undefined ? provider : `${provider}\n${region}`
}

/** Of legs themselves, which are asked for more often than there are any. */
const keys = new WeakMap<LegIdentity, string>()

/** The name of a leg's own memory: a rate limit is one model's, in one region. */
export function legKey(leg: LegIdentity): string {
  const known = keys.get(leg)
  if (known !== undefined) return known
  const { provider, region = '', model, configuredModel = model } = leg
  const key = `${provider}\n${region}\n${configuredModel}`
  if ('open' in leg) keys.set(leg, key)
  return key
}
