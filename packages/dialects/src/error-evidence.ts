import { maskCredentials } from './mask-credentials.js'
import { isObject, listOf, parseJson, textOf } from './read-json.js'
import { remembered } from './remembered.js'
import { sanitiseName } from './sanitise-name.js'

/** What an error of any shape says about itself. */
export interface ErrorEvidence {
  /** Codes, types and status words, outermost first, as they came. */
  readonly words: readonly string[]
  /** The first number in it that can be an HTTP status of a failure. */
  readonly status: number | undefined
  /** The message, the outermost first. */
  readonly message: string | undefined
  /** Every message, for patterns to look through. */
  readonly text: string
}

/** `error` in `error`, `metadata.raw`, `innererror`: three wrappers and what is in them. */
const MAX_DEPTH = 4
const MAX_ITEMS = 4
const MAX_WORDS = 24
const MAX_TEXT_LENGTH = 8 * 1024

const WORD_KEYS = ['code', 'type', 'error_type', 'status', 'error_code', 'reason', 'param_code']
const STATUS_KEYS = ['code', 'status', 'status_code', 'statusCode', 'http_status', 'error_code']
const MESSAGE_KEYS = ['message', 'detail', 'error_description', 'msg', 'title']
const NESTED_KEYS = ['error', 'metadata', 'innererror', 'inner_error', 'errors', 'details', 'detail', 'raw']

/** Reads an error of any shape: an object, a string, an array, `true`. Never throws. */
export function readErrorEvidence(error: unknown): ErrorEvidence {
  const words: string[] = []
  const messages: string[] = []
  let status: number | undefined

  collect(error, 0)
  return { words, status, message: messages[0], text: messages.join('\n').slice(0, MAX_TEXT_LENGTH) }

  function collect(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH || words.length > MAX_WORDS) return
    if (typeof value === 'string') {
      // Gateways wrap the error that they got as a string.
      const nested = value.trimStart().startsWith('{') ? parseJson(value) : undefined
      if (nested === undefined) messages.push(value.slice(0, MAX_TEXT_LENGTH))
      else collect(nested, depth + 1)
      return
    }
    if (Array.isArray(value)) {
      for (const item of listOf(value).slice(0, MAX_ITEMS)) collect(item, depth + 1)
      return
    }
    if (!isObject(value)) return
    for (const key of STATUS_KEYS) status ??= statusOf(value[key])
    for (const key of WORD_KEYS) {
      const word = wordOf(value[key])
      if (word !== undefined) words.push(word)
    }
    for (const key of MESSAGE_KEYS) {
      const message = textOf(value[key])
      if (message !== undefined && !message.trimStart().startsWith('{')) messages.push(message)
      else if (message !== undefined) collect(message, depth + 1)
    }
    for (const key of NESTED_KEYS) {
      if (typeof value[key] === 'object' || (typeof value[key] === 'string' && key !== 'detail')) {
        collect(value[key], depth + 1)
      }
    }
  }
}

/** A status that can stand for a failure, as a number or as digits. */
function statusOf(value: unknown): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  const word = textOf(value)?.trim()
  return word === undefined || word === '' || word.length > 200 || /\s/.test(word) ? undefined : word
}

/**
 * The most telling word as `Failure.code`: at most 64 of `[A-Za-z0-9_.-]`, a word rather than a number that is only the
 * status, and none that looks like a credential, since codes stand in events and logs.
 */
export function failureCodeOf({ words, status }: ErrorEvidence): string | undefined {
  for (const word of words) {
    const code = codeIn(word)
    if (code !== undefined && code !== String(status)) return code
  }
  return undefined
}

const codeIn = remembered((word) => {
  const code = sanitiseName(word)
  if (code === '' || code === 'error' || /^[45]\d\d$/.test(code)) return undefined
  return maskCredentials(word) === word ? code : undefined
})
