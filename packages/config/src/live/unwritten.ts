import { isMarked } from '@understudy/core'

const UNWRITTEN = Symbol.for('understudy.unwritten')

/** Marks what a write failed with before anything of it could reach the store, so that nobody is told that it may have. */
export function markUnwritten(error: unknown): void {
  if (typeof error === 'object' && error !== null && Object.isExtensible(error)) Object.defineProperty(error, UNWRITTEN, { value: true })
}

/** Whether this is what a write failed with that has certainly not reached the store, from another copy of this package too. */
export function isUnwritten(error: unknown): boolean {
  return isMarked(error, UNWRITTEN)
}
