import { quote } from '../show.js'

const LONGEST = 200

/**
 * What went wrong with a file or a store, in a few words that anybody may read: the code of the error where it has one, else its
 * message without anything that looks like a password or a key.
 */
export function troubleOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  try {
    const code: unknown = Reflect.get(error, 'code')
    if (typeof code === 'string' && code !== '') return code.slice(0, LONGEST)
    const message: unknown = Reflect.get(error, 'message')
    if (typeof message !== 'string' || message === '') return 'unknown'
    const masked = message.slice(0, LONGEST).replace(/\/\/[^\s/@]*@/g, '//***@')
    return quote(masked).startsWith('\'') ? masked : 'unknown'
  } catch {
    return 'unknown'
  }
}
