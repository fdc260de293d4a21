import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ownProperties } from '../own-properties.js'
import type { ChainDocumentJson, HistoryEntry } from './chain-source.js'
import type { Pin } from './pins.js'
import { replaceFile } from './replace-file.js'
import { troubleOf } from './trouble.js'

/** What is kept over a restart. */
export interface LastKnownGood {
  readonly document: ChainDocumentJson
  /** When this version was first applied here. Milliseconds since the epoch. */
  readonly firstAppliedAt: number
  readonly pins: readonly Pin[]
  /** The local log, newest first. */
  readonly history: readonly HistoryEntry[]
}

/** What was found. `corrupt` = there is a file, and it cannot be trusted; it was put aside as `aside`. */
export type LastKnownGoodReading =
  | { readonly type: 'found'; readonly kept: LastKnownGood }
  | { readonly type: 'none' }
  | { readonly type: 'corrupt'; readonly aside: string | undefined }
  | { readonly type: 'unreadable'; readonly trouble: string }

const FORMAT = 1
const NO_FILE = 'it is no file'
const MOST_LINKS = 40
const MOST_BYTES = 16 * 1_048_576
/** What a process that was killed left behind; one that is younger may be being written. */
const STALE_MS = 60_000

/** Reads the file. Synchronous: it is small, and it runs before anything is read from a network. */
export function readLastKnownGood(written: string): LastKnownGoodReading {
  const path = targetOf(written)
  sweep(path)
  let text: string
  try {
    const stats = statSync(path)
    // A pipe would be waited for, and with it the whole process.
    if (!stats.isFile() && !stats.isDirectory()) return { type: 'unreadable', trouble: NO_FILE }
    text = stats.size > MOST_BYTES ? '' : readFileSync(path, 'utf8')
  } catch (error) {
    const trouble = troubleOf(error)
    return trouble === 'ENOENT' ? { type: 'none' } : { type: 'unreadable', trouble }
  }
  const kept = parse(text)
  if (kept !== undefined) return { type: 'found', kept }
  const aside = `${path}.corrupt`
  try {
    renameSync(path, aside)
    return { type: 'corrupt', aside }
  } catch {
    return { type: 'corrupt', aside: undefined }
  }
}

/** Writes the file, unless a process beside this one has kept a higher version there. Rejects with what the file system says. */
export async function writeLastKnownGood(written: string, kept: LastKnownGood): Promise<void> {
  const path = targetOf(written)
  const stats = await stat(path).catch(() => undefined)
  if (stats?.isFile() === false && !stats.isDirectory()) throw new Error(NO_FILE)
  const there = parse(await readFile(path, 'utf8').catch(() => ''))
  if (there !== undefined && versionOf(there.document) > versionOf(kept.document)) return
  const body = JSON.stringify(kept)
  await mkdir(dirname(path), { recursive: true })
  await replaceFile(path, `{"format":${FORMAT},"checksum":"${checksumOf(body)}","kept":${body}}\n`)
}

/** A link stays one: what it leads to is read and replaced, whether it is there yet or not. */
function targetOf(written: string): string {
  let path = written
  try {
    for (let links = 0; links < MOST_LINKS; links += 1) path = resolve(dirname(path), readlinkSync(path))
  } catch {
    // It is no link.
  }
  return path
}

function versionOf({ version }: ChainDocumentJson): number {
  return typeof version === 'number' ? version : 0
}

function checksumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function parse(text: string): LastKnownGood | undefined {
  let file: Readonly<Record<string, unknown>> | undefined
  try {
    file = ownProperties(JSON.parse(text))
  } catch {
    return undefined
  }
  const kept = ownProperties(file?.kept)
  if (file?.format !== FORMAT || kept === undefined || file.checksum !== checksumOf(JSON.stringify(file.kept))) return undefined
  const document = ownProperties(kept.document)
  if (document === undefined || typeof kept.firstAppliedAt !== 'number') return undefined
  return {
    document,
    firstAppliedAt: kept.firstAppliedAt,
    pins: Array.isArray(kept.pins) ? kept.pins.filter(isPin) : [],
    history: Array.isArray(kept.history) ? kept.history.filter(isEntry) : [],
  }
}

function isPin(value: unknown): value is Pin {
  const own = ownProperties(value)
  return typeof own?.route === 'string' && typeof own.preset === 'string' && typeof own.since === 'number'
    && typeof own.expiresAt === 'number' && typeof own.isOver === 'boolean' && typeof own.toldHours === 'number'
    && typeof own.toldExpiring === 'boolean'
}

function isEntry(value: unknown): value is HistoryEntry {
  const own = ownProperties(value)
  return typeof own?.outcome === 'string' && typeof own.at === 'number' && Array.isArray(own.issues)
}

function sweep(path: string): void {
  const folder = dirname(path)
  const isTemporary = (name: string): boolean => name.startsWith(`${basename(path)}.`) && name.endsWith('.tmp')
  try {
    for (const name of readdirSync(folder).filter(isTemporary)) {
      const file = join(folder, name)
      if (Date.now() - statSync(file).mtimeMs > STALE_MS) unlinkSync(file)
    }
  } catch {
    return
  }
}
