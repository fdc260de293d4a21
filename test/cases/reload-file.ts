import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Case } from './case.js'

/** How an editor, a person or a config map brings a new file. */
export type WayToWrite = 'rename' | 'symlink_swap' | 'in_place' | 'recreate_dir'

/** The watched file of a case that is about reloading. */
export interface ReloadFile {
  readonly path: string
  /** Writes this text in place. */
  write(text: string): Promise<void>
  /** Writes a chain of these legs as the next version; gives that. */
  change(way: WayToWrite, legs: readonly unknown[]): Promise<number>
  /** The next version of a document with this chain, as text. */
  document(legs: readonly unknown[]): string
  remove(): Promise<void>
}

/** Cases whose chain at the start is the first leg alone, as their words have it. */
const startsWithFirst: ReadonlySet<string> = new Set(['B157', 'B158', 'B163', 'B164'])

/** Whether a leg stands in the chain of the code. */
export function isInCode({ id, upstream }: Case, leg: string): boolean {
  return !startsWithFirst.has(id) || leg === upstream[0]?.leg
}

/** The file of a case, in a folder of its own; `undefined` for a case that reloads nothing. */
export async function startReloadFile({ reload }: Case): Promise<ReloadFile | undefined> {
  if (reload === undefined) return undefined
  const root = await mkdtemp(join(tmpdir(), 'understudy-case-'))
  const folder = join(root, 'watched')
  const path = join(folder, 'chains.json')
  let version = 0
  await mkdir(folder)

  function document(legs: readonly unknown[]): string {
    version += 1
    return JSON.stringify({ version, updated_by: 'case', reason: 'reload', routes: { chat: { chain: legs } } })
  }

  return {
    path,
    document,
    write: (text) => writeFile(path, text),
    async change(way, legs) {
      const text = document(legs)
      switch (way) {
        case 'in_place':
          await writeFile(path, text)
          break
        case 'rename':
          await writeFile(`${path}.new`, text)
          await rename(`${path}.new`, path)
          break
        case 'symlink_swap': {
          const target = join(root, `version-${version}.json`)
          await writeFile(target, text)
          await symlink(target, `${path}.link`)
          await rename(`${path}.link`, path)
          break
        }
        case 'recreate_dir':
          await rm(folder, { recursive: true })
          await mkdir(folder)
          await writeFile(path, text)
      }
      return version
    },
    remove: () => rm(root, { recursive: true }),
  }
}
