import type { FSWatcher } from 'node:fs'
import { statSync, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileKey } from './file-document.js'

/** One save is several events. */
const DEBOUNCE_MS = 50

/** The watch on a file. It is on the folder, so that a file that is replaced, or comes back, is the same file. */
export interface FileWatch {
  readonly add: (changed: () => void) => () => void
  /** Watches anew if the folder was replaced, or is there only now. Never rejects. */
  readonly renew: () => Promise<void>
  readonly close: () => void
}

/** Nothing here throws or keeps the process alive: a file that cannot be watched is polled. */
export function createFileWatch(path: string): FileWatch {
  const folder = dirname(path)
  const listeners = new Set<() => void>()
  let watcher: FSWatcher | undefined
  let watched: number | undefined
  let timer: NodeJS.Timeout | undefined
  let told: string | undefined

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    watcher?.close()
    watcher = undefined
    watched = undefined
    told = undefined
  }

  function start(): void {
    try {
      watched = statSync(folder).ino
      watcher = watch(folder, { persistent: false }, arm)
      watcher.on('error', stop)
    } catch {
      stop()
    }
  }

  function arm(): void {
    timer ??= setTimeout(() => void look(), DEBOUNCE_MS).unref()
  }

  /** Other files of the folder change too, so this one is looked at. */
  async function look(): Promise<void> {
    timer = undefined
    const key = await fileKey(path).catch(() => 'unreadable')
    const state = key ?? 'none'
    if (watcher === undefined || state === told) return
    told = state
    for (const changed of listeners) changed()
  }

  return {
    add: (changed) => {
      // One function may be added twice and is then told twice.
      const listener = (): void => changed()
      listeners.add(listener)
      if (watcher === undefined) start()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
    renew: async () => {
      if (listeners.size === 0) return
      const present = await stat(folder).then(({ ino }) => ino, () => undefined)
      if (listeners.size === 0 || (watcher !== undefined && present === watched)) return
      stop()
      start()
    },
    close: () => {
      listeners.clear()
      stop()
    },
  }
}
