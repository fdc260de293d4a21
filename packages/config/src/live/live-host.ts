import type { ChainChange, ChainEvent, Clock } from '@understudy/core'
import type { ResolvedRoute } from '../resolved-config.js'

/** Says what a person should know. The code is stable. */
export type Tell = (code: string, message: string, fields?: Readonly<Record<string, unknown>>) => void

/** What live chains stand on, and whom they tell. */
export interface LiveHost {
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  readonly warn: Tell
  readonly error: Tell
  readonly info: (message: string, fields?: Readonly<Record<string, unknown>>) => void
  readonly emit: (event: ChainEvent) => void
  /** Takes over what each route runs from now on, all at once. A route that is the same object as before is unchanged. */
  readonly onRoutes: (routes: ReadonlyMap<string, ResolvedRoute>) => void
}

/** A change as one line of a log. */
export function showChange({ route, from, to, preset, expiresAt }: ChainChange): string {
  const until = expiresAt === undefined ? '' : `, until ${new Date(expiresAt).toISOString()}`
  const chosen = preset === undefined ? '' : ` (preset '${preset}'${until})`
  return `route '${route}': ${from.join(', ')} -> ${to.join(', ')}${chosen}`
}
