import type { Cancel, ChainChange } from '@understudy/core'
import { checkDocument, type CheckedDocument, type DocumentCheck } from '../document/check-document.js'
import { MOST_VERSION } from '../document/document-schema.js'
import type { KnownChains } from '../document/known-chains.js'
import type { ResolvedLive, ResolvedRoute } from '../resolved-config.js'
import type { HistoryEntry, HistoryOutcome, SourceReading } from './chain-source.js'
import { changesOf, effectiveRoutes, isOtherChain } from './effective-routes.js'
import { closeSource } from './close-source.js'
import { identityOf, textOf } from './document-identity.js'
import { createHistoryRecorder } from './history-recorder.js'
import { createKeptFile } from './kept-file.js'
import { showChange, type LiveHost } from './live-host.js'
import { createLocalHistory } from './local-history.js'
import { movedPins, pinsOf, stepOf, type Pin, type PinStep } from './pins.js'
import { createSourceNews, type IgnoredDocument } from './source-news.js'
import { showPin, tellPin } from './tell-pin.js'
import { createRejections, type Rejection } from './rejections.js'
import { restoreKept, type Restored } from './restore-kept.js'
import { createSourceReader } from './source-reader.js'
import { storedVersion } from './stored-version.js'
import { troubleOf } from './trouble.js'

/** Which layer a chain comes from. */
export type ChainLayer = 'code' | 'last-known-good' | 'live'

/** What runs now. */
export interface RunningChains {
  /** `code` until a document is applied; `last-known-good` until the source has confirmed what was kept. */
  readonly layer: ChainLayer
  /** 0 = the chains in code. */
  readonly version: number
  readonly document: CheckedDocument | undefined
  /** Of the routes that a document has selected another preset than `normal` for, by route. */
  readonly pins: ReadonlyMap<string, Pin>
  /** What each route runs. */
  readonly routes: ReadonlyMap<string, ResolvedRoute>
  /** Since when each route runs that. Milliseconds since the epoch. */
  readonly since: ReadonlyMap<string, number>
}

/** How the source is doing, and what it gave that could not be used. Content-free. */
export interface LiveStatus {
  /** What the source calls itself. */
  readonly source: string
  /** Whether it can be written, so that a chain can be changed through us. */
  readonly writable: boolean
  /** Milliseconds since the epoch; absent = it was never read. */
  readonly lastReadAt?: number | undefined
  /** Whether the last read found a document. */
  readonly holdsDocument?: boolean | undefined
  /** Absent while the last read went well. */
  readonly lastReadError?: { readonly message: string; readonly at: number } | undefined
  /** How many documents were refused since the start. */
  readonly rejected: number
  readonly lastRejection?: Rejection | undefined
  /** What the source holds and is not run, since its version is no higher one; absent = it holds nothing like that. */
  readonly ignored?: IgnoredDocument | undefined
}

/** What a source holds. */
export interface HeldDocument {
  /** What the document says; 0 = there is none, or none that says it. */
  readonly version: number
  /** `undefined` = there is none that can be run. */
  readonly document: CheckedDocument | undefined
}

/** The chains of a `Fallback` that a document can change. */
export interface LiveChains {
  readonly running: () => RunningChains
  readonly status: () => LiveStatus
  /** Begins to read. Nobody waits for it. */
  readonly start: () => void
  /** Reads the source now. Resolves when what it gave is judged; never rejects. */
  readonly refresh: () => Promise<void>
  /** What the source holds, past everything that is remembered. Rejects if it cannot be read in time. */
  readonly held: () => Promise<HeldDocument>
  /** Says whether a document could be applied, and does not apply it. */
  readonly check: (document: unknown) => DocumentCheck
  /** Judges a document, and applies it if it is right and newer. */
  readonly judge: (document: unknown) => void
  /** What this process keeps of the history, newest first. */
  readonly localHistory: () => readonly HistoryEntry[]
  /** Ends reads, watch and timers; resolves when the last-known-good file is on the disk. */
  readonly close: () => Promise<void>
}

/** Coarse, and by the wall clock: so neither a clock that is set nor a process that sleeps lets a pin go early or never. */
const TICK_MS = 1_000
const MOST_KEPT_CHARACTERS = 65_536

/**
 * Runs the three layers: the chains in code, the last-known-good file, which is read here, and the live document. Whatever the source does,
 * what runs keeps running. Throws a `ConfigError` if the last-known-good file is somebody else's.
 */
export function createLiveChains(known: KnownChains, live: ResolvedLive, host: LiveHost): LiveChains {
  const { source, lastKnownGood: path } = live
  const { clock, wallClock, warn, error, info, emit, onRoutes } = host
  const startedAt = wallClock()
  const restored = restoreKept(path, known, host)
  let running = runningAtStart(known, restored, startedAt)
  let status: Pick<LiveStatus, 'lastReadAt' | 'holdsDocument' | 'lastReadError'> = {}
  /** What was kept may not fit this code any more; then the source is asked for that version again, and for none below it. */
  const leastVersion = restored.type === 'unfit' && restored.version <= MOST_VERSION ? restored.version : 1
  let firstAppliedAt = restored.type === 'runs' ? restored.firstAppliedAt : startedAt
  let cancelTick: Cancel | undefined
  let isClosed = false
  let lastJudged: string | undefined
  const news = createSourceNews(source.name, host)
  const rejections = createRejections()
  const file = createKeptFile(path, (trouble) => {
    warn('UNDERSTUDY_LAST_KNOWN_GOOD', `the last-known-good file cannot be written (${trouble}): a restart would not know what runs now`, { trouble })
  })
  const recorder = createHistoryRecorder(source, host)
  const history = createLocalHistory(restored.history)
  const reader = createSourceReader({ ...live, clock, random: host.random, onReading, onTrouble })

  return {
    running: () => running,
    status() {
      const ignored = news.ignored()
      return { source: source.name, writable: source.write !== undefined, ...status, ...rejections.summary(), ...(ignored !== undefined && { ignored }) }
    },
    start() {
      if (restored.type === 'unfit') reject(identityOf(restored.check), restored.check)
      if (restored.type === 'runs') info(`version ${running.version} of the chains runs from the last-known-good file`)
      // A pin whose time went by while the process was down is over before the first request.
      tick()
      reader.start()
    },
    refresh: reader.refresh,
    check: (document) => checkDocument(document, known),
    judge,
    localHistory: history.entries,
    async held() {
      const reading = await reader.readOnce()
      if (reading.type !== 'document') return { version: 0, document: undefined }
      const check = checkDocument(reading.document, known)
      return check.type === 'checked'
        ? { version: check.document.version, document: check.document }
        : { version: storedVersion(check.json), document: undefined }
    },
    async close() {
      isClosed = true
      reader.close()
      cancelTick?.()
      await Promise.all([recorder.close(), file.flushed()])
      await closeSource(source, clock)
    },
  }

  function onReading(reading: SourceReading): void {
    if (status.lastReadError !== undefined) info(`the source '${source.name}' of the chains is read again`)
    const holdsDocument = reading.type === 'unchanged' ? status.holdsDocument : reading.type === 'document'
    status = { lastReadAt: wallClock(), holdsDocument }
    news.read(reading, running.version)
    if (reading.type === 'document') judge(reading.document)
    else if (reading.type === 'none') lastJudged = undefined
  }

  function onTrouble(message: string): void {
    const { lastReadError, ...rest } = status
    status = { ...rest, lastReadError: { message, at: wallClock() } }
    if (lastReadError !== undefined) return
    const text = `the source '${source.name}' of the chains cannot be read (${message}): what runs keeps running`
    warn('UNDERSTUDY_CHAIN_SOURCE', text, { source: source.name, trouble: message })
  }

  function judge(written: unknown): void {
    // At each poll of a source that knows no etag.
    const text = textOf(written)
    if (text !== undefined && text === lastJudged) return
    lastJudged = text
    news.clear()
    const check = checkDocument(written, known)
    const identity = identityOf(check, text)
    if (check.type === 'wrong') reject(identity, check)
    else weigh(identity, check.document)
  }

  function weigh(identity: string, document: CheckedDocument): void {
    const { version } = document
    if (version > running.version && version >= leastVersion) {
      try {
        apply(document)
      } catch (thrown) {
        const message = `cannot be run in this process: ${troubleOf(thrown)}`
        reject(identity, { type: 'wrong', issues: [{ path: 'document', message }], json: document.json })
      }
      return
    }
    const isSame = running.document !== undefined && version === running.version
      && identity === identityOf({ type: 'checked', document: running.document })
    if (isSame) {
      if (running.layer !== 'live') running = { ...running, layer: 'live' }
      return
    }
    news.ignore(identity, document, Math.max(running.version, leastVersion))
  }

  function reject(identity: string, { issues, json }: Extract<DocumentCheck, { type: 'wrong' }>): void {
    const at = wallClock()
    const rejection = rejections.add(identity, issues, json, at)
    if (rejection === undefined) return
    const { version, by, reason } = rejection
    const message = `a document of the chains is refused, and what runs keeps running: ${rejection.issues.join('; ')}`
    error('UNDERSTUDY_CHAIN_REJECTED', message, { version, by, reason, issues, running: running.version })
    emit({ type: 'chain-rejected', version, by, reason, issues: rejection.issues, at })
    remember('rejected', { version, actor: by, reason, document: json, issues: rejection.issues, at })
  }

  function apply(document: CheckedDocument): void {
    const now = wallClock()
    const before = running
    const pins = pinsOf(document, now, now, before.pins)
    const routes = effectiveRoutes(known.routes, document, pins, before.routes)
    take({ layer: 'live', version: document.version, document, pins, routes })
    firstAppliedAt = now
    rejections.forget()
    const changes = changesOf(before.routes, routes, pins, document)
    const { version, updatedBy: by, reason } = document
    const shown = [...changes.map(showChange), ...movedPins(pins, before.pins, changes).map(showPin)].join('; ')
    const message = `version ${version} of the chains by ${by} (${reason}): ${shown === '' ? 'no chain is another one' : shown}`
    warn('UNDERSTUDY_CHAIN_APPLIED', message, { version, by, reason, changes })
    emit({ type: 'chain-applied', version, by, reason, changes, at: now })
    remember('applied', { version, actor: by, reason, document: document.json, previous: before.document?.json, issues: [], at: now })
    keep()
    tick()
  }

  /** One swap. What runs since when is known by route, so that a change of one route says nothing of another. */
  function take(next: Omit<RunningChains, 'since'>): void {
    const now = wallClock()
    const since = new Map([...next.routes].map(([name, route]) => {
      const ran = running.routes.get(name)
      return [name, ran !== undefined && !isOtherChain(ran, route) ? (running.since.get(name) ?? now) : now]
    }))
    const isOther = [...next.routes].some(([name, route]) => running.routes.get(name) !== route)
    // Whatever goes wrong there, nothing is changed here.
    if (isOther) onRoutes(next.routes)
    running = { ...next, since }
  }

  function tick(): void {
    cancelTick?.()
    cancelTick = undefined
    if (isClosed) return
    const now = wallClock()
    for (const pin of running.pins.values()) {
      const { pin: next, steps } = stepOf(pin, now)
      if (steps.length === 0) continue
      const pins = new Map(running.pins).set(pin.route, next)
      const from = running.routes
      take({ ...running, pins, routes: effectiveRoutes(known.routes, running.document, pins, from) })
      for (const step of steps) tell(step, next, now, changesOf(from, running.routes, running.pins, running.document))
      keep()
    }
    if ([...running.pins.values()].some(({ isOver }) => !isOver)) cancelTick = clock.schedule(TICK_MS, tick)
  }

  function tell(step: PinStep, pin: Pin, now: number, [change]: readonly ChainChange[]): void {
    const { document } = running
    if (document === undefined) return
    tellPin(step, pin, { document, now, change }, host)
    if (step !== 'expired') return
    const { version, updatedBy: actor, reason, json } = document
    remember('reverted', { version, actor, reason, document: json, previous: json, issues: [], at: now })
  }

  function keep(): void {
    const { document, pins } = running
    if (document === undefined) return
    file.keep({ document: document.json, firstAppliedAt, pins: [...pins.values()], history: history.entries() })
  }

  function remember(outcome: HistoryOutcome, entry: Partial<HistoryEntry> & Pick<HistoryEntry, 'version' | 'issues' | 'at'>): void {
    const { version, actor, reason, document, previous, issues, at } = entry
    const isSmall = document !== undefined && JSON.stringify(document).length <= MOST_KEPT_CHARACTERS
    const whole: HistoryEntry = {
      version, outcome, actor, reason, document: outcome !== 'rejected' || isSmall ? document : undefined, previous, issues, at,
    }
    history.add(whole)
    if (outcome === 'rejected') keep()
    recorder.record(whole)
  }
}

function runningAtStart({ routes: code }: KnownChains, restored: Restored, startedAt: number): RunningChains {
  const since = (routes: ReadonlyMap<string, ResolvedRoute>, at: number): ReadonlyMap<string, number> =>
    new Map([...routes].map(([name, route]) => [name, route === code.get(name) ? startedAt : at]))
  if (restored.type !== 'runs') {
    return { layer: 'code', version: 0, document: undefined, pins: new Map(), routes: code, since: since(code, startedAt) }
  }
  const { document, pins, firstAppliedAt } = restored
  const routes = effectiveRoutes(code, document, pins)
  return { layer: 'last-known-good', version: document.version, document, pins, routes, since: since(routes, firstAppliedAt) }
}
