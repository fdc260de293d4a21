/**
 * Recognises events that differ from an earlier plain one in nothing but the bodies of certain JSON strings, without
 * parsing them. An event is *plain* if it says nothing but output text; it stays plain whatever those strings hold.
 *
 * Exact: the earlier event was parsed, so in its text an unescaped quote in front of a key opens that key; the text
 * between the strings is compared byte for byte, and a body of valid JSON string characters can end neither its string
 * nor its line. So the new event parses to the same object with other strings under those keys.
 */
export interface PlainLook {
  /** Whether the frame from `start` to `end` of a read (one character a byte) is plain. */
  matches(latin1: string, start: number, end: number): boolean
  /** Takes an event that was parsed and found to be plain as the next pattern. */
  learn(frame: string): void
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const LETTER_U = 0x75

const MAX_SLOTS = 4
/** Patterns in a row that no later event fitted, after which learning stops: it costs more than it brings. */
const MAX_USELESS_PATTERNS = 16

/**
 * `keys`: the names of the strings that may vary. The dialect must read an event as plain whatever strings they hold.
 */
export function createPlainLook(keys: readonly string[]): PlainLook {
  // The text before the first string, between two, and behind the last one.
  let literals: readonly string[] = []
  let useless = 0
  let fitted = false

  // Hot: once an event. A slice is a view and is compared in one native call, a third of what `startsWith` takes.
  function matches(latin1: string, start: number, end: number): boolean {
    const last = literals.length - 1
    if (last < 1) return false
    let position = start
    for (let index = 0; index < last; index++) {
      const literal = literals[index] ?? ''
      const next = position + literal.length
      if (latin1.slice(position, next) !== literal) return false
      position = endOfString(latin1, next)
      if (position === -1) return false
    }
    if (latin1.slice(position, end) !== literals[last]) return false
    fitted = true
    return true
  }

  function learn(frame: string): void {
    if (useless >= MAX_USELESS_PATTERNS) return
    useless = fitted ? 0 : useless + 1
    fitted = false
    literals = literalsAround(frame, keys).map(ownText)
  }

  return { matches, learn }
}

/** A slice of a read keeps the text of the whole read in memory, for as long as the stream is open. */
function ownText(slice: string): string {
  return Buffer.from(slice, 'latin1').toString('latin1')
}

/** Only frames of one data line, with or without a name in front: of what else can stand in a frame nothing has to be proven. */
const ONE_DATA_LINE = /^(?:event:[^\r\n]*(?:\r\n|\r|\n))?data:[^\r\n]*[\r\n]+$/

function literalsAround(frame: string, keys: readonly string[]): readonly string[] {
  if (!ONE_DATA_LINE.test(frame)) return []
  const starts = keys.flatMap((key) => valueStarts(frame, `"${key}"`)).sort((one, other) => one - other)
  if (starts.length === 0 || starts.length > MAX_SLOTS) return []

  const literals: string[] = []
  let position = 0
  for (const start of starts) {
    literals.push(frame.slice(position, start))
    position = endOfString(frame, start)
    if (position === -1) return []
  }
  return [...literals, frame.slice(position)]
}

/** Where the string values of a key begin, behind their quote. */
function valueStarts(frame: string, quotedKey: string): number[] {
  const starts: number[] = []
  for (let at = frame.indexOf(quotedKey); at !== -1; at = frame.indexOf(quotedKey, at + 1)) {
    // Behind a backslash the quote is part of a string's text.
    if (frame[at - 1] === '\\') continue
    const opening = /^\s*:\s*"/.exec(frame.slice(at + quotedKey.length, at + quotedKey.length + 16))
    if (opening !== null) starts.push(at + quotedKey.length + opening[0].length)
  }
  return starts
}

/** Where the quote stands that ends the JSON string whose text begins at `position`; -1 if that is no valid string. */
function endOfString(text: string, position: number): number {
  let index = position
  while (index < text.length) {
    const code = text.charCodeAt(index)
    if (code === QUOTE) return index
    if (code < FIRST_PRINTABLE) return -1
    if (code !== BACKSLASH) {
      index++
    } else {
      const length = escapeLength(text, index)
      if (length === 0) return -1
      index += length
    }
  }
  return -1
}

function escapeLength(text: string, index: number): number {
  const code = text.charCodeAt(index + 1)
  if (code !== LETTER_U) return '"\\/bfnrt'.includes(text.charAt(index + 1)) && !Number.isNaN(code) ? 2 : 0
  for (let digit = index + 2; digit < index + 6; digit++) {
    if (!isHexDigit(text.charCodeAt(digit))) return 0
  }
  return 6
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
}
