import { youngList } from '@understudy/core'

/**
 * Recognises events that differ from an earlier plain one in nothing but the bodies of certain JSON strings and certain whole
 * numbers, without parsing them. An event is *plain* if it says nothing but output text; it stays plain whatever those hold.
 *
 * Exact: the earlier event was parsed, so in its text an unescaped quote in front of a key opens that key; the text
 * between the strings is compared byte for byte, and a body of valid JSON string characters can end neither its string
 * nor its line; no more can the digits of a whole number. So the new event parses to the same object with other strings and numbers
 * under those keys.
 */
export interface PlainLook {
  /** Whether the frame from `start` to `end` of a read (one character a byte) is plain. */
  matches(latin1: string, start: number, end: number): boolean
  /**
   * Takes an event that was parsed and found to be plain as the next pattern. `text`: what its only piece of text is; strings that are
   * empty in it have to stay so then, or they would be another piece. Default: texts are not of use.
   */
  learn(frame: string, text?: string): void
  /** What stands in that read, which matched last, where the learnt event had its `text`; `undefined` where that cannot be told. */
  textIn(latin1: string): string | undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_PRINTABLE = 0x20
const LETTER_U = 0x75

const MAX_SLOTS = 4
/** Patterns in a row that no later event fitted, after which learning stops: it costs more than it brings. */
const MAX_USELESS_PATTERNS = 16

/**
 * `keys`, `numbers`: the names of the strings and of the whole numbers that may vary. The dialect must read an event as plain whatever
 * they hold.
 */
export function createPlainLook(keys: readonly string[], numbers = NO_NAMES): PlainLook {
  return new PatternLook(keys, numbers)
}

/** A class: an open stream holds one. */
class PatternLook implements PlainLook {
  readonly #keys: readonly string[]
  readonly #numbers: readonly string[]
  #pattern = NO_PATTERN
  #useless = 0
  #fitted = false
  /** A pattern is made when there is something to hold against it: nobody waits for that with the first event, and some answers have no other. */
  #unread: string | undefined
  #unreadText: string | undefined
  /** Which slot holds the text of the event, and where that was in the last match. */
  #textSlot = -1
  #emptySlots = NO_SLOTS
  #textFrom = 0
  #textTo = 0

  constructor(keys: readonly string[], numbers: readonly string[]) {
    this.#keys = keys
    this.#numbers = numbers
  }

  // Hot: once an event. A slice is a view and is compared in one native call, a third of what `startsWith` takes.
  matches(latin1: string, start: number, end: number): boolean {
    if (this.#unread !== undefined) this.#readPattern(this.#unread, this.#unreadText)
    const { literals, ends } = this.#pattern
    const last = literals.length - 1
    if (last < 1) return false
    let position = start
    for (let index = 0; index < last; index++) {
      const literal = literals[index] ?? ''
      const next = position + literal.length
      if (latin1.slice(position, next) !== literal) return false
      position = (ends[index] ?? endOfString)(latin1, next)
      if (position === -1) return false
      if (index === this.#textSlot) {
        this.#textFrom = next
        this.#textTo = position
      } else if (position !== next && this.#emptySlots.includes(index)) {
        return false
      }
    }
    if (latin1.slice(position, end) !== literals[last]) return false
    this.#fitted = true
    return true
  }

  learn(frame: string, text?: string): void {
    if (this.#useless >= MAX_USELESS_PATTERNS) return
    this.#useless = this.#fitted ? 0 : this.#useless + 1
    this.#fitted = false
    this.#unread = ownText(frame)
    this.#unreadText = text
  }

  textIn(latin1: string): string | undefined {
    return this.#textSlot === -1 ? undefined : spelt(latin1.slice(this.#textFrom, this.#textTo))
  }

  #readPattern(frame: string, text: string | undefined): void {
    this.#unread = undefined
    const pattern = patternOf(frame, this.#keys, this.#numbers)
    this.#pattern = pattern
    const values = text === undefined ? NO_VALUES : valuesOf(frame, pattern)
    const spelling = values.flatMap((value, index) => (value !== undefined && spelt(value) === text ? [index] : []))
    this.#textSlot = spelling.length === 1 ? (spelling[0] ?? -1) : -1
    this.#emptySlots = values.flatMap((value, index) => (value === '' ? [index] : []))
  }
}

const NO_SLOTS: readonly number[] = []
const NO_NAMES: readonly string[] = []
const NO_VALUES: readonly (string | undefined)[] = []

/** The characters of each slot of a frame; `undefined` for those of numbers. */
function valuesOf(frame: string, { literals, ends }: Pattern): readonly (string | undefined)[] {
  let position = 0
  return ends.map((end, index) => {
    const start = position + (literals[index]?.length ?? 0)
    position = end(frame, start)
    return end === endOfString ? frame.slice(start, position) : undefined
  })
}

/** From that length on V8 makes a slice a view, which keeps the whole read in memory for as long as somebody has the text. */
const VIEW_LENGTH = 13
const NEEDS_READING = /[\\\x80-\xff]/

/** The text that valid characters of a JSON string spell. */
function spelt(characters: string): string {
  if (characters.length < VIEW_LENGTH && !NEEDS_READING.test(characters)) return characters
  return String(JSON.parse(`"${Buffer.from(characters, 'latin1').toString('utf8')}"`))
}

/** A slice of a read keeps the text of the whole read in memory, for as long as the stream is open. */
function ownText(slice: string): string {
  return Buffer.from(slice, 'latin1').toString('latin1')
}

/** Only frames of one data line, with or without a name in front: of what else can stand in a frame nothing has to be proven. */
const ONE_DATA_LINE = /^(?:event:[^\r\n]*(?:\r\n|\r|\n))?data:[^\r\n]*[\r\n]+$/

/** Where a value ends whose text begins at `position`; -1 if that is none. */
type SlotEnd = (text: string, position: number) => number

interface Pattern {
  readonly literals: readonly string[]
  readonly ends: readonly SlotEnd[]
}

const NO_PATTERN: Pattern = { literals: [], ends: [] }

class SlottedPattern implements Pattern {
  readonly literals: readonly string[]
  readonly ends: readonly SlotEnd[]

  constructor(literals: readonly string[], ends: readonly SlotEnd[]) {
    this.literals = literals
    this.ends = ends
  }
}

function patternOf(frame: string, keys: readonly string[], numbers: readonly string[]): Pattern {
  if (!ONE_DATA_LINE.test(frame)) return NO_PATTERN
  const slots = [
    ...keys.flatMap((key) => valueStarts(frame, `"${key}"`, STRING_OPENING)).map((start) => ({ start, end: endOfString })),
    ...numbers.flatMap((key) => valueStarts(frame, `"${key}"`, NUMBER_OPENING)).map((start) => ({ start, end: endOfNumber })),
  ].sort((one, other) => one.start - other.start)
  if (slots.length === 0 || slots.length > MAX_SLOTS) return NO_PATTERN

  const literals = youngList<string>()
  let position = 0
  for (const { start, end } of slots) {
    // A key may stand in the text of another slot, where it is none.
    if (start < position) return NO_PATTERN
    literals.push(ownText(frame.slice(position, start)))
    position = end(frame, start)
    if (position === -1) return NO_PATTERN
  }
  literals.push(ownText(frame.slice(position)))
  return new SlottedPattern(literals, slots.map(({ end }) => end))
}

const STRING_OPENING = /^\s*:\s*"/
const NUMBER_OPENING = /^\s*:\s*(?=\d)/

/** Where the values of a key begin: of a string behind its quote. */
function valueStarts(frame: string, quotedKey: string, value: RegExp): number[] {
  const starts = youngList<number>()
  for (let at = frame.indexOf(quotedKey); at !== -1; at = frame.indexOf(quotedKey, at + 1)) {
    // Behind a backslash the quote is part of a string's text.
    if (frame[at - 1] === '\\') continue
    const opening = value.exec(frame.slice(at + quotedKey.length, at + quotedKey.length + 16))
    if (opening !== null) starts.push(at + quotedKey.length + opening[0].length)
  }
  return starts
}

const ZERO = 0x30
const NINE = 0x39

/** Behind the digits of a whole number that JSON can spell, of no more than 15 of them. A point or an exponent is for the literal to rule out. */
function endOfNumber(text: string, position: number): number {
  let index = position
  while (index < position + 16) {
    const code = text.charCodeAt(index)
    if (!(code >= ZERO && code <= NINE)) break
    index++
  }
  const length = index - position
  return length === 0 || length > 15 || (length > 1 && text.charCodeAt(position) === ZERO) ? -1 : index
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
