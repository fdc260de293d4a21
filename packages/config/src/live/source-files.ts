import { readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { ChainSource } from './chain-source.js'

/** A file that a source reads or writes. */
export interface SourceFile {
  /** What it is, as a message names it: `the document of fileSource`. */
  readonly what: string
  readonly path: string
}

const FILES = Symbol.for('understudy.source-files')
const MOST_LINKS = 40

/** Notes at a source which files are its own, so that nothing else is kept in one of them. A copy of the source has the note too. */
export function withFiles(source: ChainSource, files: readonly SourceFile[]): ChainSource {
  return Object.assign(source, { [FILES]: files })
}

/** The file of a source that stands at this path; `undefined` = there is none, as far as the source says. */
export function sourceFileAt(path: string, source: ChainSource): SourceFile | undefined {
  const files: unknown = Reflect.get(source, FILES)
  const place = placeOf(path)
  return Array.isArray(files) ? files.filter(isSourceFile).find((file) => placeOf(file.path) === place) : undefined
}

/** A link stays one: what it leads to is the file, whether it is there yet or not. */
export function targetOf(written: string): string {
  let path = written
  try {
    for (let links = 0; links < MOST_LINKS; links += 1) path = resolve(dirname(path), readlinkSync(path))
  } catch {
    // It is no link.
  }
  return path
}

/** The same for every way to write a path. */
function placeOf(path: string): string {
  const target = targetOf(resolve(path))
  try {
    return join(realpathSync(dirname(target)), basename(target))
  } catch {
    return target
  }
}

function isSourceFile(value: unknown): value is SourceFile {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'path') === 'string' && typeof Reflect.get(value, 'what') === 'string'
}
