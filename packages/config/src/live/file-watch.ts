import type { BigIntStats, FSWatcher } from 'node:fs'
import { statSync, watch } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fileKey } from './file-document.js'

/** One save is several events. */
const DEBOUNCE_MS = 50
/** A folder that is gone tells nobody that it is back. */
const MISSING_MS = 250

/**
 * The watch on a file. It is on the folder, so that a file that is replaced, or comes back, is the same file; where the file is a link,
 * on the folder of what it leads to as well.
 */
export interface FileWatch {
  readonly add: (changed: () => void) => () => void
  /** Watches anew if a folder was replaced, or is there only now. Never rejects. */
  readonly renew: () => Promise<void>
  readonly close: () => void
}

interface WatchedFolder {
  readonly watcher: FSWatcher
  readonly identity: string
}

/** Nothing here throws or keeps the process alive: a file that cannot be watched is polled. */
export function createFileWatch(path: string): FileWatch {
  const folder = dirname(path)
  const listeners = new Set<() => void>()
  const watched = new Map<string, WatchedFolder>()
  let timer: NodeJS.Timeout | undefined
  let told: string | undefined

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    told = undefined
    for (const name of [...watched.keys()]) unwatch(name)
  }

  function unwatch(name: string): void {
    watched.get(name)?.watcher.close()
    watched.delete(name)
  }

  function start(name: string): void {
    try {
      const identity = identityOf(statSync(name, { bigint: true }))
      const watcher = watch(name, { persistent: false }, (_type, changed) => {
        // What is told of the folder itself may be its end: a watch on what is gone tells nothing any more.
        if (changed === basename(name)) unwatch(name)
        arm(DEBOUNCE_MS)
      })
      watcher.on('error', () => {
        unwatch(name)
        arm(MISSING_MS)
      })
      watched.set(name, { watcher, identity })
    } catch {
      unwatch(name)
    }
  }

  function arm(ms: number): void {
    timer ??= setTimeout(() => void look(), ms).unref()
  }

  /** Other files of the folder change too, so this one is looked at; behind the watch, so that no change falls between them. */
  async function look(): Promise<void> {
    timer = undefined
    await renew()
    const key = await fileKey(path).catch(() => 'unreadable')
    const state = key ?? 'none'
    if (listeners.size === 0 || state === told) return
    told = state
    for (const changed of listeners) changed()
  }

  async function renew(): Promise<void> {
    if (listeners.size === 0) return
    const target = await realpath(path).then(dirname, () => folder)
    const wanted = [...new Set([folder, target])]
    const present = await Promise.all(wanted.map((name) => stat(name, { bigint: true }).then(identityOf, () => undefined)))
    if (listeners.size === 0) return
    for (const name of [...watched.keys()]) if (!wanted.includes(name)) unwatch(name)
    wanted.forEach((name, index) => {
      const known = watched.get(name)
      if (known !== undefined && known.identity === present[index]) return
      unwatch(name)
      if (present[index] !== undefined) start(name)
    })
    if (!watched.has(folder)) arm(MISSING_MS)
  }

  return {
    add: (changed) => {
      // One function may be added twice and is then told twice.
      const listener = (): void => changed()
      listeners.add(listener)
      if (!watched.has(folder)) start(folder)
      void renew()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
    renew,
    close: () => {
      listeners.clear()
      stop()
    },
  }
}

/** A folder that is made anew may get the number of the one that it follows. */
function identityOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino}:${birthtimeNs}`
}
