import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, stat } from 'node:fs/promises'
import type { SourceReading } from './chain-source.js'
import { decodeText, isJson, refuseTooLarge } from './document-text.js'

/** A file that was changed a shorter time ago may be half-written, or change again without its time showing that. */
const SETTLED_MS = 1_000

/** What is known of a file without reading it. */
interface SeenFile {
  readonly key: string
  readonly settled: boolean
  readonly etag: string
}

/** Reads the document in a file. The content is read only if the file may have changed. */
export function createFileReader(path: string): (etag: string | undefined) => Promise<SourceReading> {
  let last: SeenFile | undefined

  return async (etag) => {
    const stats = await fileStats(path)
    if (stats === undefined) return { type: 'none' }
    refuseTooLarge(Number(stats.size))
    if (etag !== undefined && last?.etag === etag && last.key === keyOf(stats) && last.settled) return { type: 'unchanged' }
    const read = await readWhole(path)
    if (read === undefined) return { type: 'none' }
    const { text, key, settled } = read
    if (text.trim() === '') throw new Error('the file is empty')
    // A broken document that stays is one to reject, and to tell of.
    if (!settled && !isJson(text)) throw new Error('the file holds no JSON; it may be half-written')
    const seen = { key, settled, etag: createHash('sha256').update(text).digest('hex') }
    last = seen
    return seen.etag === etag ? { type: 'unchanged' } : { type: 'document', document: text, etag: seen.etag }
  }
}

/** Which state of the file it is; `undefined` without one. */
export async function fileKey(path: string): Promise<string | undefined> {
  const stats = await fileStats(path)
  return stats === undefined ? undefined : keyOf(stats)
}

/** `undefined` if there is none. */
export async function orNone<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined
    throw error
  }
}

async function fileStats(path: string): Promise<BigIntStats | undefined> {
  const stats = await orNone(stat(path, { bigint: true }))
  if (stats !== undefined && !stats.isFile()) throw new Error('the path is that of no file')
  return stats
}

function keyOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(':')
}

/** One state of the file. By its handle: where another file takes its place meanwhile, as a writer's does, this one is whole all the same. */
async function readWhole(path: string): Promise<{ readonly text: string; readonly key: string; readonly settled: boolean } | undefined> {
  const file = await orNone(open(path, 'r'))
  if (file === undefined) return undefined
  try {
    const stats = await file.stat({ bigint: true })
    const size = Number(stats.size)
    refuseTooLarge(size)
    // One byte more than there should be, so that a file that grew meanwhile is seen.
    const bytes = Buffer.alloc(size + 1)
    const length = await readAll(file, bytes)
    const after = await file.stat({ bigint: true })
    // Not by its `ctime`, which moves when its name is given to another file.
    if (length !== size || after.size !== stats.size || after.mtimeNs !== stats.mtimeNs) throw new Error('the file changed while it was read')
    const settled = Date.now() - Number(stats.mtimeMs) > SETTLED_MS
    return { text: decodeText(bytes.subarray(0, length)), key: keyOf(stats), settled }
  } finally {
    await file.close()
  }
}

async function readAll(file: FileHandle, bytes: Buffer): Promise<number> {
  let length = 0
  while (length < bytes.length) {
    const { bytesRead } = await file.read(bytes, length, bytes.length - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return length
}
