/** What of a leg its health hangs on. */
export interface LegIdentity {
  readonly provider: string
  readonly model: string
  readonly region?: string | undefined
}

/** The name of the breaker that stands for a leg: its provider, and its region if it has one. */
export function breakerKey({ provider, region }: Pick<LegIdentity, 'provider' | 'region'>): string {
  return region === undefined ? provider : `${provider}\n${region}`
}

/** The name of a leg's own memory: a rate limit is one model's, in one region. */
export function legKey({ provider, region = '', model }: LegIdentity): string {
  return `${provider}\n${region}\n${model}`
}
