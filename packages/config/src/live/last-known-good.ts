import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ownProperties } from '../own-properties.js'
import type { ChainDocumentJson, HistoryEntry } from './chain-source.js'
import { orNone } from './file-document.js'
import type { Pin } from './pins.js'
import { replaceFile } from './replace-file.js'
import { targetOf } from './source-files.js'
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

/**
 * What was found. `corrupt` = there is a file of ours, and it cannot be trusted; it was put aside as `aside`. `foreign` = there is a file
 * that never was one of ours; it stays as it is.
 */
export type LastKnownGoodReading =
  | { readonly type: 'found'; readonly kept: LastKnownGood }
  | { readonly type: 'none' }
  | { readonly type: 'corrupt'; readonly aside: string | undefined }
  | { readonly type: 'foreign' }
  | { readonly type: 'unreadable'; readonly trouble: string }

const FORMAT = 1
const NO_FILE = 'it is no file'
const FOREIGN = 'the file there holds something else, and is left as it is'
const MOST_BYTES = 16 * 1_048_576
const HEAD_BYTES = 1_024
const OPENING = `{"format":${FORMAT},"checksum":"`
/** Laid out by an editor. */
const LONGEST_OPENING = 100
/** The beginning of a file of ours, of whatever format; where a disk lost that, zeros, and our checksum right before what it is of. */
const MARKS = /^\s*\{\s*"format"\s*:\s*\d+\s*,\s*"checksum"\s*:\s*"|^\0[^]*"checksum"\s*:\s*"[0-9a-f]{64}"\s*,\s*"kept"\s*:\s*\{/
/** What a process that was killed left behind; one that is younger may be being written. */
const STALE_MS = 60_000

/** Reads the file. Synchronous: it is small, and it runs before anything is read from a network. */
export function readLastKnownGood(written: string): LastKnownGoodReading {
  const path = targetOf(written)
  let text: string
  try {
    const stats = statSync(path)
    // A pipe would be waited for, and with it the whole process.
    if (!stats.isFile() && !stats.isDirectory()) return { type: 'unreadable', trouble: NO_FILE }
    text = stats.size > MOST_BYTES ? readHead(path) : readFileSync(path, 'utf8')
  } catch (error) {
    const trouble = troubleOf(error)
    if (trouble !== 'ENOENT') return { type: 'unreadable', trouble }
    sweep(path)
    return { type: 'none' }
  }
  const kept = parse(text)
  if (kept === undefined && !isOurs(text)) return { type: 'foreign' }
  sweep(path)
  if (kept !== undefined) return { type: 'found', kept }
  const aside = `${path}.corrupt`
  try {
    renameSync(path, aside)
    return { type: 'corrupt', aside }
  } catch {
    return { type: 'corrupt', aside: undefined }
  }
}

/**
 * Writes the file, unless a process beside this one has kept a higher version there. Rejects with what the file system says, and if a
 * file stands there that is none of ours.
 */
export async function writeLastKnownGood(written: string, kept: LastKnownGood): Promise<void> {
  const path = targetOf(written)
  const stats = await stat(path).catch(() => undefined)
  if (stats?.isFile() === false && !stats.isDirectory()) throw new Error(NO_FILE)
  const text = stats === undefined ? '' : stats.size > MOST_BYTES ? readHead(path) : (await orNone(readFile(path, 'utf8'))) ?? ''
  const there = parse(text)
  if (there === undefined && !isOurs(text)) throw new Error(FOREIGN)
  if (there !== undefined && versionOf(there.document) > versionOf(kept.document)) return
  const body = JSON.stringify(kept)
  await mkdir(dirname(path), { recursive: true })
  await replaceFile(path, `{"format":${FORMAT},"checksum":"${checksumOf(body)}","kept":${body}}\n`)
}

/** What of a file that is too large to be read tells whose it is. */
function readHead(path: string): string {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(HEAD_BYTES)
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(file)
  }
}

/**
 * Whether a text that cannot be trusted was written here once: it begins as our files do, or was cut before it said enough. A crash can
 * leave an empty file, and a lost write zeros.
 */
function isOurs(text: string): boolean {
  if (/^[\0\s]*$/.test(text) || MARKS.test(text)) return true
  return text.length < LONGEST_OPENING && OPENING.startsWith(text.replace(/\s/g, ''))
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
