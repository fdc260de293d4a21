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
