import { shownPreset } from '@understudy/config'
import type { ChainLayer, CheckedRoute, LiveChains, LiveStatus, ResolvedRoute } from '@understudy/config'

/** Which chain a route runs, and where that comes from. Times in milliseconds since the epoch. */
export interface ChainSnapshot {
  /** `code` where no document says anything of the route; `last-known-good` until the source has confirmed what was kept. */
  readonly layer: ChainLayer
  /** Of the document; 0 = the chain in code. */
  readonly version: number
  /** Since when this process runs this chain. */
  readonly since: number
  /** Who wrote the document. */
  readonly by?: string | undefined
  readonly reason?: string | undefined
  /** The preset that is selected, where the route has presets; absent under a plain chain of the document too. */
  readonly preset?: string | undefined
  /** The presets that can be selected. */
  readonly presets?: readonly string[] | undefined
  /** When the preset goes back to `normal` by itself; absent = it does not. */
  readonly expiresAt?: number | undefined
  /** What responses say, in `understudy-degraded`. */
  readonly marking?: string | undefined
}

/** The live document and its source, where there is one. Content-free. */
export interface LiveSnapshot extends LiveStatus {
  readonly layer: ChainLayer
  readonly version: number
}

/** Says what a route runs. */
export function chainSnapshot(route: ResolvedRoute, live: LiveChains | undefined, startedAt: number): ChainSnapshot {
  const running = live?.running()
  const { name, presets, marking } = route
  const document = running?.document
  const preset = shownPreset(route, document)
  const checked: CheckedRoute | undefined = document?.routes.get(name)
  const pin = running?.pins.get(name)
  return {
    layer: checked === undefined ? 'code' : (running?.layer ?? 'code'),
    version: checked === undefined ? 0 : (document?.version ?? 0),
    since: running?.since.get(name) ?? startedAt,
    ...(checked !== undefined && document !== undefined && { by: document.updatedBy, reason: document.reason }),
    ...(preset !== undefined && { preset }),
    ...(presets !== undefined && { presets: [...presets.keys()] }),
    ...(pin?.isOver === false && { expiresAt: pin.expiresAt }),
    ...(marking !== undefined && { marking }),
  }
}

/** Says how the live document and its source are doing. */
export function liveSnapshot(live: LiveChains): LiveSnapshot {
  const { layer, version } = live.running()
  return { ...live.status(), layer, version }
}
