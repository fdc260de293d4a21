import type { ChainDocumentJson, ChainSource, CheckedDocument, HistoryEntry, KnownChains, LiveChains, RouteJson } from '@understudy/config'
import {
  changesRoute, entryIn, markedDocument, MOST_VERSION, NORMAL, PIN_MS, presetNames, routesIn, selectingEntry, stampedRoutes, troubleOf,
  isUnwritten, isVersionConflictError, VersionConflictError, withEntry,
} from '@understudy/config'
import type { Clock } from '@understudy/core'

import type { ChainControl, ChangeAuthor, ChangeResult, LegTrial, RevertPreview, RouteState } from './chain-control.js'
import { ChainControlError } from './chain-control-error.js'
import { checkRequest } from './check-request.js'
import { revertTarget, stateBy, stateOf } from './revert-target.js'
import type { RevertTarget } from './revert-target.js'

/** What the control of chains stands on. */
export interface ChainControlHost {
  readonly known: KnownChains
  /** `undefined` = the chains stay as the code has them. */
  readonly live: LiveChains | undefined
  readonly source: ChainSource | undefined
  readonly clock: Clock
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
  readonly isClosed: () => boolean
  /** Of the preset, or else of what the route runs; `undefined` = it has no such preset. */
  readonly trial: (route: string, preset: string | undefined, signal: AbortSignal | undefined) => AsyncIterable<LegTrial> | undefined
}

/** What a change is made from. */
interface Held {
  /** What the store says that it holds. */
  readonly version: number
  readonly document: CheckedDocument | undefined
  readonly routes: Readonly<Record<string, unknown>>
  readonly now: number
}

type Edit = (held: Held) => Readonly<Record<string, unknown>> | undefined | Promise<Readonly<Record<string, unknown>> | undefined>

const WRITE_MS = 10_000
const HISTORY_MS = 5_000
const DEFAULT_LIMIT = 50
/** So many entries are looked through for those of one route. */
const MOST_SEARCHED = 500
/** Somebody else may be quicker; a person who said no version is not told of it at once. */
const WRITES = 3
const LONGEST_PIN_MS = 7 * 24 * 3_600_000

/** Makes the control of the chains of one `Fallback`. Changes of one process are made one after the other. */
export function createChainControl(host: ChainControlHost): ChainControl {
  const { known, live, source, clock, wallClock } = host
  let last: Promise<unknown> = Promise.resolve()

  return {
    async pin(request) {
      checkRequest('pin', request, ['route', 'preset'], ['forMs'])
      const { route, preset, forMs = PIN_MS } = request
      if (!Number.isInteger(forMs) || forMs < 1 || forMs > LONGEST_PIN_MS) {
        throw new ChainControlError('invalid_request', `forMs is ${forMs}; it must be a whole number of ms, at most ${LONGEST_PIN_MS} (7 days)`)
      }
      return change(request, ({ routes, now }) => {
        mustBeRoute(route)
        const presets = presetNames(route, entryOf(routes, route), known)
        if (!presets.includes(preset)) {
          const rest = presets.length === 0 ? 'it has none' : `it has ${presets.join(', ')}`
          throw new ChainControlError('unknown_preset', `route '${route}' has no preset '${preset}'; ${rest}`)
        }
        return withEntry(routes, route, selectingEntry(route, entryOf(routes, route), preset, now + forMs, known))
      })
    },

    async unpin(request) {
      checkRequest('unpin', request, ['route'])
      const { route } = request
      return change(request, ({ document, routes }) => {
        mustBeRoute(route)
        const checked = document?.routes.get(route)
        const active = checked?.active ?? known.routes.get(route)?.preset ?? NORMAL
        if (active === NORMAL) return undefined
        return withEntry(routes, route, selectingEntry(route, entryOf(routes, route), NORMAL, undefined, known))
      })
    },

    async revert(request) {
      checkRequest('revert', request, ['route'])
      const { route } = request
      return change(request, async (held) => {
        mustBeRoute(route)
        return withEntry(held.routes, route, (await undoing(route, held)).entry)
      })
    },

    async revertPreview(route) {
      mustBeRoute(route)
      if (live === undefined || source?.write === undefined) throw notWritable(source)
      const { change: { version, actor, reason, at }, to } = await undoing(route, await heldNow(live))
      return { undoes: { version, actor, reason, at }, to }
    },

    async restore(request) {
      checkRequest('restore', request, ['version'])
      const { version } = request
      return change(request, async () => {
        const found = (await entries({ limit: MOST_SEARCHED, version }))
          .find((entry) => entry.version === version && entry.outcome === 'applied' && entry.document !== undefined)
        if (found === undefined) throw new ChainControlError('unknown_version', `no version ${version} that was applied is in the history`)
        return routesIn(found.document)
      })
    },

    async history({ route, limit = DEFAULT_LIMIT } = {}) {
      if (!Number.isInteger(limit) || limit < 1 || limit > MOST_SEARCHED) {
        throw new ChainControlError('invalid_request', `limit must be a whole number from 1 to ${MOST_SEARCHED}; got ${limit}`)
      }
      const found = await entries({ limit: route === undefined ? limit : MOST_SEARCHED })
      return found.filter((entry) => route === undefined || isAbout(entry, route)).slice(0, limit)
    },

    refresh: () => live?.refresh() ?? Promise.resolve(),
    trial: (route, { preset, signal } = {}) => {
      mustBeRoute(route)
      const trial = host.trial(route, preset, signal)
      if (trial === undefined) throw new ChainControlError('unknown_preset', `route '${route}' has no preset '${preset}'`)
      return trial
    },
  }

  function mustBeRoute(route: string): void {
    if (known.routes.has(route)) return
    if (known.embeddings.has(route)) {
      const message = `'${route}' is a route of embeddings, which only the code can change: vectors of two models cannot be compared`
      throw new ChainControlError('unknown_route', message)
    }
    throw new ChainControlError('unknown_route', `no route is called '${route}'; there is ${[...known.routes.keys()].join(', ')}`)
  }

  /** How the last change of a route is undone. Throws where nothing would be another one. */
  async function undoing(route: string, { document, routes, now }: Held): Promise<RevertTarget & Pick<RevertPreview, 'to'>> {
    const target = revertTarget(route, entryOf(routes, route), await entries({ limit: MOST_SEARCHED }))
    if (target === undefined) {
      throw new ChainControlError('nothing_to_revert', `no change of route '${route}' is known that could be undone`)
    }
    const to = stateWith(withEntry(routes, route, target.entry), route, now)
    const { pins, routes: running } = live?.running() ?? {}
    const ran = running?.get(route)
    const isOver = pins?.get(route)?.isOver === true && document?.routes.get(route)?.active === pins.get(route)?.preset
    if (isOver && ran !== undefined && JSON.stringify(stateOf(ran)) === JSON.stringify(to)) {
      throw new ChainControlError('nothing_to_revert', `the last change of route '${route}' was a pin whose time is over: it runs what it ran before`)
    }
    return { ...target, to }
  }

  /** What a route would run with these entries, as far as that can be said here. */
  function stateWith(routes: Readonly<Record<string, unknown>>, name: string, now: number): RouteState {
    const route = known.routes.get(name)
    const check = live?.check(markedDocument(undefined, routes, { version: 1, actor: 'nobody', reason: 'asked only', now }))
    if (route === undefined || check?.type !== 'checked') return { legs: [] }
    return stateBy(route, check.document.routes.get(name), now)
  }

  function change(author: ChangeAuthor, edit: Edit): Promise<ChangeResult> {
    const made = last.then(() => changeNow(author, edit))
    last = made.catch(() => undefined)
    return made
  }

  async function changeNow(author: ChangeAuthor, edit: Edit): Promise<ChangeResult> {
    if (host.isClosed()) throw new ChainControlError('closed', 'Understudy is closed')
    if (live === undefined || source?.write === undefined) throw notWritable(source)
    for (let tries = 1; ; tries += 1) {
      try {
        return await writeChange(live, source.write, author, edit)
      } catch (error) {
        const isConflict = isVersionConflictError(error)
        if (!isConflict || author.expectedVersion !== undefined || tries === WRITES) throw error
      }
    }
  }

  async function heldNow(running: LiveChains): Promise<Held> {
    const { version, document } = await running.held().catch((cause: unknown) => {
      throw new ChainControlError('source_unavailable', `the source cannot be read now (${troubleOf(cause)}), so nothing was changed`, { cause })
    })
    const { document: ran, pins } = running.running()
    const now = wallClock()
    // What the store holds is what counts; one that holds nothing that can be run gets what runs.
    const base = document ?? ran
    return { version, document: base, routes: stampedRoutes(base, pins, now), now }
  }

  async function writeChange(
    running: LiveChains,
    write: NonNullable<ChainSource['write']>,
    { actor, reason, expectedVersion }: ChangeAuthor,
    edit: Edit,
  ): Promise<ChangeResult> {
    const held = await heldNow(running)
    const { version: previousVersion } = running.running()
    const { document: base, now } = held
    // No version can follow one that is too high to be run; it is replaced.
    const latest = held.version > MOST_VERSION ? previousVersion : Math.max(held.version, previousVersion)
    if (expectedVersion !== undefined && expectedVersion !== latest) throw new VersionConflictError(expectedVersion, latest)
    const routes = await edit(held)
    if (routes === undefined) return { version: previousVersion, previousVersion }
    const document = markedDocument(base?.json, routes, { version: latest + 1, actor, reason, now })
    const check = running.check(document)
    if (check.type === 'wrong') {
      const said = check.issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
      throw new ChainControlError('invalid_change', `nothing was changed: ${said}`, { issues: check.issues })
    }
    await written(write, document, held.version)
    running.judge(document)
    if (running.running().version <= latest) {
      const said = running.status().lastRejection?.issues.join('; ') ?? 'it was refused'
      throw new ChainControlError('invalid_change', `the change was written, and this process cannot run it: ${said}`)
    }
    return { version: latest + 1, previousVersion }
  }

  async function written(write: NonNullable<ChainSource['write']>, document: ChainDocumentJson, expectedVersion: number): Promise<void> {
    try {
      await limited(WRITE_MS, (signal) => write(document, { expectedVersion, signal }))
    } catch (error) {
      if (isVersionConflictError(error)) throw error
      const after = isUnwritten(error) ? ', so nothing was changed' : '; it may have reached it all the same'
      const message = `the source did not take the change (${troubleOf(error)})${after}`
      throw new ChainControlError('source_unavailable', message, { cause: error })
    }
  }

  async function entries(query: { readonly limit: number; readonly version?: number }): Promise<readonly HistoryEntry[]> {
    const local = live?.localHistory() ?? []
    const kept = source?.history === undefined
      ? undefined
      : await limited(HISTORY_MS, (signal) => source.history?.({ ...query, signal }) ?? Promise.resolve(local)).catch(() => undefined)
    const all = kept ?? local
    return all.filter(({ version }) => query.version === undefined || version === query.version).slice(0, query.limit)
  }

  /** A source that never answers is not waited for, whether it heeds its signal or not. */
  function limited<Value>(ms: number, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const controller = new AbortController()
    return new Promise<Value>((resolve, reject) => {
      const cancel = clock.schedule(ms, () => {
        controller.abort()
        reject(new Error('the source did not answer in time'))
      })
      new Promise<Value>((settle) => settle(work(controller.signal))).then(resolve, reject).finally(cancel)
    })
  }
}

function entryOf(routes: Readonly<Record<string, unknown>>, route: string): RouteJson {
  return entryIn({ routes }, route)
}

/** Refused ones are about whatever they name, and about everything if nothing of them can be read. */
function isAbout(entry: HistoryEntry, route: string): boolean {
  const { outcome, document } = entry
  if (outcome === 'rejected') return document === undefined || entryIn(document, route) !== undefined
  if (outcome === 'reverted') return entryIn(document, route) !== undefined
  return changesRoute(entry, route)
}

function notWritable(source: ChainSource | undefined): ChainControlError {
  const why = source === undefined
    ? 'there is no source of live chains (option chains)'
    : `the source '${source.name}' can only be read`
  const right = 'fileSource({ path, write: true }), and those of @understudy/redis and @understudy/postgres'
  return new ChainControlError('no_writable_source', `${why}; sources that can be written: ${right}`)
}
