import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../cli-error.js'
import type { CliContext } from '../cli-context.js'
import { EXIT } from '../exit-code.js'

/** The text of a document; `-` is the standard input. */
export async function readDocumentFile(path: string, { cwd, input }: CliContext): Promise<string> {
  try {
    return path === '-' ? await input() : await readFile(resolve(cwd, path), 'utf8')
  } catch (error) {
    const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
    throw new CliError(EXIT.wrongUse, `'${path}' cannot be read: ${code === 'ENOENT' ? 'there is no such file' : typeof code === 'string' ? code : 'it failed'}`, {
      code: 'wrong_use',
      usageOf: 'check',
    })
  }
}

/** Where a text stops being JSON, as far as the engine says: ` (line 3, column 7)`. */
export function whereNoJson(text: string): string {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return ''
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    if (position === undefined) return ''
    const lines = text.slice(0, Number(position)).split('\n')
    return ` (line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1})`
  }
}
