import { readFileSync } from 'node:fs'

/** The bytes of a recording, named by its path in test/recordings. */
export function recordedBytes(path: string): Buffer {
  return readFileSync(new URL(`../recordings/${path}`, import.meta.url))
}

/** The same as text. */
export function recorded(path: string): string {
  return recordedBytes(path).toString('utf8')
}
