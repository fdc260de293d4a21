/** How long before it expires a credential is replaced; one that lives shorter, at half its life. */
const REFRESH_BEFORE_MS = 5 * 60 * 1000

/** A refresh that takes longer is no longer waited for by those who come later. */
const GIVE_UP_MS = 60 * 1000

/** How a credential is kept. */
export interface FreshnessOptions<Credential> {
  /** Milliseconds since the epoch; `undefined` = it is not kept, and asked for at each use. */
  readonly expiresAt: (credential: Credential) => number | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/**
 * Keeps a credential until shortly before it expires. However many ask, one refresh is in flight. Where it fails or gives a credential that
 * has expired, who asked gets the credential that there is if that still holds, or else the failure; the next one to ask tries again.
 */
export function keepFresh<Credential>(
  load: () => Credential | Promise<Credential>,
  { expiresAt, now }: FreshnessOptions<Credential>,
): () => Promise<Credential> {
  let held: { readonly credential: Credential; readonly refreshAt: number; readonly expiresAt: number } | undefined
  let pending: { readonly since: number; readonly credential: Promise<Credential> } | undefined

  async function refresh(): Promise<Credential> {
    const credential = await load()
    const expires = expiresAt(credential)
    const at = now()
    if (expires !== undefined && expires <= at) throw new Error('the credential has expired already')
    // A date that is none says nothing.
    held = expires === undefined || Number.isNaN(expires)
      ? undefined
      : { credential, expiresAt: expires, refreshAt: expires - Math.min(REFRESH_BEFORE_MS, (expires - at) / 2) }
    return credential
  }

  function refreshed(at: number): Promise<Credential> {
    if (pending !== undefined && at - pending.since < GIVE_UP_MS) return pending.credential
    const credential = refresh()
    const mine = { since: at, credential }
    const settle = (): void => {
      if (pending === mine) pending = undefined
    }
    credential.then(settle, settle)
    pending = mine
    return credential
  }

  return async () => {
    const at = now()
    const known = held
    if (known !== undefined && at < known.refreshAt) return known.credential
    if (known === undefined || at >= known.expiresAt) return refreshed(at)
    return refreshed(at).catch(() => known.credential)
  }
}
