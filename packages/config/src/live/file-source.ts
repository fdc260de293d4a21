import { mkdir, readFile, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { ChainDocumentJson, ChainSource, DocumentWrite } from './chain-source.js'
import { VersionConflictError } from './chain-source.js'
import { encodeDocument } from './document-text.js'
import { createFileReader, orNone } from './file-document.js'
import type { FileHistory } from './file-history.js'
import { createFileHistory } from './file-history.js'
import { withFileLock } from './file-lock.js'
import { createFileWatch } from './file-watch.js'
import { readHistoryEntry, writtenEntry } from './history-record.js'
import { replaceFile } from './replace-file.js'
import { targetOf, withFiles, type SourceFile } from './source-files.js'
import { checkSourceOptions, SWITCH, TEXT, wholeNumber } from './source-options.js'
import { storedVersion } from './stored-version.js'
import { untilAborted } from './until-aborted.js'
import { markUnwritten } from './unwritten.js'

/** Which file, and what may be done to it. */
export interface FileSourceOptions {
  /** The document, as JSON. It need not exist yet, and nor need its folder, which the first write makes. */
  readonly path: string
  /**
   * Whether the file may be replaced by a change made through us: a pin, a revert. Default `false`: a file that a person keeps is read
   * only. Its format and comments are not kept.
   */
  readonly write?: boolean | undefined
  /** The history, one JSON object a line. Default, with `write`: the path with `.history.jsonl` behind it; without: none. */
  readonly historyPath?: string | undefined
  /** How many entries of the history are kept, at most. Default 500. */
  readonly maxHistory?: number | undefined
}

const OPTIONS = { path: TEXT, write: SWITCH, historyPath: TEXT, maxHistory: wholeNumber(1, 100_000) }

/**
 * A document in a file of at most 1 MiB. Watched, and polled. A file that is half-written or empty is a read that fails, so what runs
 * keeps running; a file that is gone is no document.
 */
export function fileSource(file: string | FileSourceOptions): ChainSource {
  const options = typeof file === 'string' ? { path: file } : file
  checkSourceOptions('fileSource', options, OPTIONS, ['path'])
  const path = resolve(options.path)
  const read = createFileReader(path)
  const watch = createFileWatch(path)
  const historyPath = options.historyPath ?? (options.write === true ? `${path}.history.jsonl` : undefined)
  const files: readonly SourceFile[] = [
    ...filesAt(path, 'the document of fileSource'),
    ...(historyPath === undefined ? [] : filesAt(resolve(historyPath), 'the history of fileSource')),
  ]
  const history = historyPath === undefined ? undefined : createFileHistory(resolve(historyPath), options.maxHistory ?? 500)

  return withFiles({
    name: 'file',
    read: async ({ etag, signal }) => {
      signal.throwIfAborted()
      await untilAborted(watch.renew(), signal)
      return untilAborted(read(etag), signal)
    },
    watch: watch.add,
    ...(options.write === true && {
      write: (document, write) => untilAborted(writeDocument(path, document, write, history), write.signal),
    }),
    ...(history !== undefined && {
      record: (entry, signal) => untilAborted(history.add(entry, false, signal), signal),
      history: (query) => untilAborted(history.list(query), query.signal),
    }),
    close: () => {
      watch.close()
      return Promise.resolve()
    },
  }, files)
}

function filesAt(path: string, what: string): readonly SourceFile[] {
  return [{ what, path }, { what: `the lock of ${what}`, path: lockOf(targetOf(path)) }]
}

function lockOf(path: string): string {
  return `${path}.lock`
}

async function writeDocument(
  path: string,
  document: ChainDocumentJson,
  { expectedVersion, signal }: DocumentWrite,
  history: FileHistory | undefined,
): Promise<void> {
  const text = `${encodeDocument(document, 2)}\n`
  // A link stays one: what it leads to is replaced.
  let mayStand = false
  const replaced = async (): Promise<void> => {
    const target = (await orNone(realpath(path))) ?? path
    await mkdir(dirname(target), { recursive: true })
    return withFileLock(lockOf(target), signal, async (assertHeld) => {
      const held = await readHeld(target)
      if (storedVersion(held) !== expectedVersion) throw new VersionConflictError(expectedVersion, storedVersion(held))
      await replaceFile(target, text, async () => {
        signal.throwIfAborted()
        await assertHeld()
        mayStand = true
      })
      // The document stands. An entry that cannot be kept now is made again by each process that applies it. Still under the lock: the next
      // writer's entry stands behind this one.
      const entry = readHistoryEntry({ ...writtenEntry(document, undefined, Date.now()), previous: held })
      if (entry !== undefined) await history?.add(entry, true, signal).catch(() => undefined)
    })
  }
  await replaced().catch((error: unknown) => {
    if (!mayStand) markUnwritten(error)
    throw error
  })
}

async function readHeld(path: string): Promise<unknown> {
  const text = await orNone(readFile(path, 'utf8'))
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
