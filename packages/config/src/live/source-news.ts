import type { CheckedDocument } from '../document/check-document.js'
import type { SourceReading } from './chain-source.js'
import type { LiveHost } from './live-host.js'

/** A document that is right and not run, since its version is no higher one. Content-free. */
export interface IgnoredDocument {
  readonly version: number
  /** Who wrote it. */
  readonly by: string
  /** When it was met first. Milliseconds since the epoch. */
  readonly at: number
}

/** Tells once of each thing that a source holds and a person does not expect. */
export interface SourceNews {
  /** Told what each read found; `running` = the version that runs, 0 = the chains in code. */
  readonly read: (reading: SourceReading, running: number) => void
  /** Told of a document that is not run; only one of at least `least` would be. */
  readonly ignore: (identity: string, document: CheckedDocument, least: number) => void
  /** The source holds something else now than what was ignored. */
  readonly clear: () => void
  /** What it holds now and is not run. */
  readonly ignored: () => IgnoredDocument | undefined
}

const MOST_TOLD = 100

/** Makes the news of one source. */
export function createSourceNews(source: string, { warn, info, wallClock }: Pick<LiveHost, 'warn' | 'info' | 'wallClock'>): SourceNews {
  const met = new Map<string, IgnoredDocument>()
  let current: IgnoredDocument | undefined
  let held: boolean | undefined
  let isTold = false

  return {
    read(reading, running) {
      if (reading.type === 'none') missing(reading.why, running)
      else if (reading.type === 'document') found()
    },
    ignore(identity, document, least) {
      const { version, updatedBy: by } = document
      current = met.get(identity)
      if (current !== undefined) return
      if (met.size >= MOST_TOLD) met.clear()
      current = { version, by, at: wallClock() }
      met.set(identity, current)
      const message = version < least
        ? `the source '${source}' holds version ${version} of the chains, and version ${least} has run here: it is ignored; a change needs a higher version`
        : `version ${version} of the chains came with another content than the one that runs, and is ignored: a change needs a higher version`
      warn('UNDERSTUDY_CHAIN_VERSION', message, { version, by, running: least })
    },
    clear() {
      current = undefined
    },
    ignored: () => current,
  }

  function missing(why: string | undefined, running: number): void {
    current = undefined
    // A store that nobody has written to yet is no news.
    const isNews = running > 0 || held === true || why !== undefined
    held = false
    if (isTold || !isNews) return
    isTold = true
    const because = why === undefined ? '' : ` (${why})`
    warn('UNDERSTUDY_CHAIN_SOURCE', `the source '${source}' of the chains holds no document${because}: what runs keeps running`, { source, running })
  }

  function found(): void {
    if (isTold) info(`the source '${source}' of the chains holds a document again`)
    isTold = false
    held = true
  }
}
