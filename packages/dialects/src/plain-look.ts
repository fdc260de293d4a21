import { youngList } from '@understudy/core'

/**
 * Recognises events that differ from an earlier plain one in nothing but the bodies of certain JSON strings and certain whole
 * numbers, without parsing them. An event is *plain* if it says nothing but output text; it stays plain whatever those hold.
 *
 * Exact: the earlier event was parsed, so in its text an unescaped quote in front of a key opens that key; the bytes
 * between the strings are compared one by one, and a body of valid JSON string characters can end neither its string
 * nor its line; no more can the digits of a whole number. So the new event parses to the same object with other strings and numbers
 * under those keys.
 */
export interface PlainLook {
  /** Just behind the plain frame that begins at `start` of these bytes; -1 if none does. */
  endOf(bytes: Buffer, start: number): number
  /**
   * Takes an event that was parsed and found to be plain as the next pattern; one character a byte. `spoken`: its only piece of text;
   * strings that are empty in it have to stay so then, or they would be another piece. Default: texts are not of use.
   */
  learn(frame: string, spoken?: SpokenText): void
  /** Whatever comes next is to be parsed: the pattern was plain where the stream stood, and that has changed. */
  forget(): void
  /** What stands in those bytes, which matched last, where the learnt event had its `text`; `undefined` where that cannot be told. */
  textIn(bytes: Buffer): string | undefined
}

/** What an event says, and the name of the member that says it. */
export interface SpokenText {
  readonly text: string
  readonly key: string
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
  #unreadSpoken: SpokenText | undefined
  /** Which slot holds the text of the event, and where that was in the last match. */
  #textSlot = -1
  #emptySlots = NO_SLOTS
  #textFrom = 0
  #textTo = 0

  constructor(keys: readonly string[], numbers: readonly string[]) {
    this.#keys = keys
    this.#numbers = numbers
  }

  // Hot: once an event. Byte by byte: a stream that wakes up for one event runs all this with cold caches, where one short loop costs
  // less than the native calls that make a string and compare pieces of it.
  endOf(bytes: Buffer, start: number): number {
    if (this.#unread !== undefined) this.#readPattern(this.#unread, this.#unreadSpoken)
    const { frame, slots } = this.#pattern
    if (slots.length === 0) return -1
    let position = start
    let compared = 0
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] ?? NO_SLOT
      if (!isSame(bytes, position, frame, compared, slot.start)) return -1
      const from = position + slot.start - compared
      position = slot.endIn(bytes, from)
      if (position === -1) return -1
      compared = slot.end
      if (index === this.#textSlot) {
        this.#textFrom = from
        this.#textTo = position
      } else if (position !== from && this.#emptySlots.includes(index)) {
        return -1
      }
    }
    if (!isSame(bytes, position, frame, compared, frame.length)) return -1
    this.#fitted = true
    return position + frame.length - compared
  }

  learn(frame: string, spoken?: SpokenText): void {
    if (this.#useless >= MAX_USELESS_PATTERNS) return
    this.#useless = this.#fitted ? 0 : this.#useless + 1
    this.#fitted = false
    this.#unread = ownText(frame)
    this.#unreadSpoken = spoken
  }

  forget(): void {
    this.#unread = undefined
    this.#pattern = NO_PATTERN
    this.#textSlot = -1
    this.#emptySlots = NO_SLOTS
  }

  textIn(bytes: Buffer): string | undefined {
    return this.#textSlot === -1 ? undefined : spelt(bytes, this.#textFrom, this.#textTo)
  }

  #readPattern(text: string, spoken: SpokenText | undefined): void {
    this.forget()
    this.#pattern = patternOf(text, this.#keys, this.#numbers)
    if (spoken === undefined) return
    const { frame, slots } = this.#pattern
    const strings = slots.map(({ start, end, endIn }) => (endIn === endOfString ? spelt(frame, start, end) : undefined))
    // The member stands in the text once, so that its string is that one.
    const speaking = slots.flatMap(({ key }, index) => (key === spoken.key ? [index] : []))
    const [only = -1] = speaking
    if (speaking.length === 1 && strings[only] === spoken.text) this.#textSlot = only
    this.#emptySlots = strings.flatMap((string, index) => (string === '' ? [index] : []))
  }
}

const NO_SLOTS: readonly number[] = []
const NO_NAMES: readonly string[] = []

/** From that length on node's own comparison is faster than a loop. */
const NATIVE_LENGTH = 24

function isSame(bytes: Buffer, position: number, frame: Buffer, from: number, to: number): boolean {
  const ahead = position - from
  if (to + ahead > bytes.length) return false
  if (to - from >= NATIVE_LENGTH) return frame.compare(bytes, position, to + ahead, from, to) === 0
  for (let index = from; index < to; index++) {
    if (bytes[index + ahead] !== frame[index]) return false
  }
  return true
}

/** The text that valid characters of a JSON string spell. */
function spelt(bytes: Buffer, from: number, to: number): string {
  const characters = bytes.toString('utf8', from, to)
  return characters.includes('\\') ? String(JSON.parse(`"${characters}"`)) : characters
}

/** A slice of a read keeps the text of the whole read in memory, for as long as the stream is open. */
function ownText(slice: string): string {
  return Buffer.from(slice, 'latin1').toString('latin1')
}

/** Only frames of one data line, with or without a name in front: of what else can stand in a frame nothing has to be proven. */
const ONE_DATA_LINE = /^(?:event:[^\r\n]*(?:\r\n|\r|\n))?data:[^\r\n]*[\r\n]+$/

/** Where a value ends that begins at `position`; -1 if that is none. */
type ValueEnd = (bytes: Buffer, position: number) => number

/** Where the pattern holds a value that may vary. */
class Slot {
  /** The name of the member. */
  readonly key: string
  readonly start: number
  readonly end: number
  readonly endIn: ValueEnd

  constructor(key: string, start: number, end: number, endIn: ValueEnd) {
    this.key = key
    this.start = start
    this.end = end
    this.endIn = endIn
  }
}

class Pattern {
  readonly frame: Buffer
  /** In order. */
  readonly slots: readonly Slot[]

  constructor(frame: Buffer, slots: readonly Slot[]) {
    this.frame = frame
    this.slots = slots
  }
}

const NO_SLOT = new Slot('', 0, 0, () => -1)
const NO_PATTERN = new Pattern(Buffer.alloc(0), [])

function patternOf(text: string, keys: readonly string[], numbers: readonly string[]): Pattern {
  if (!ONE_DATA_LINE.test(text)) return NO_PATTERN
  // Of its own, where a buffer of this size would share memory with others.
  const frame = Buffer.allocUnsafeSlow(text.length)
  frame.write(text, 'latin1')
  const slots = [
    ...keys.flatMap((key) => slotsOf(key, frame, valueStarts(text, `"${key}"`, STRING_OPENING), endOfString)),
    ...numbers.flatMap((key) => slotsOf(key, frame, valueStarts(text, `"${key}"`, NUMBER_OPENING), endOfNumber)),
  ].sort((one, other) => one.start - other.start)
  // A key may stand in the text of another slot, where it is none.
  const areApart = slots.every(({ start, end }, index) => end !== -1 && start >= (slots[index - 1]?.end ?? 0))
  return slots.length > MAX_SLOTS || !areApart ? NO_PATTERN : new Pattern(frame, slots)
}

function slotsOf(key: string, frame: Buffer, starts: readonly number[], endIn: ValueEnd): Slot[] {
  return starts.map((start) => new Slot(key, start, endIn(frame, start), endIn))
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
function endOfNumber(bytes: Buffer, position: number): number {
  let index = position
  const most = Math.min(bytes.length, position + 16)
  while (index < most && isDigit(bytes[index])) index++
  const length = index - position
  return length === 0 || length > 15 || (length > 1 && bytes[position] === ZERO) ? -1 : index
}

function isDigit(byte = 0): boolean {
  return byte >= ZERO && byte <= NINE
}

/** Where the quote stands that ends the JSON string whose text begins at `position`; -1 if that is no valid string. */
function endOfString(bytes: Buffer, position: number): number {
  let index = position
  while (index < bytes.length) {
    const byte = bytes[index] ?? 0
    if (byte === QUOTE) return index
    if (byte < FIRST_PRINTABLE) return -1
    if (byte !== BACKSLASH) {
      index++
    } else {
      const length = escapeLength(bytes, index)
      if (length === 0) return -1
      index += length
    }
  }
  return -1
}

const SHORT_ESCAPES: readonly number[] = [...Buffer.from('"\\/bfnrt')]

function escapeLength(bytes: Buffer, index: number): number {
  const byte = bytes[index + 1] ?? 0
  if (byte !== LETTER_U) return SHORT_ESCAPES.includes(byte) ? 2 : 0
  for (let digit = index + 2; digit < index + 6; digit++) {
    if (!isHexDigit(bytes[digit])) return 0
  }
  return 6
}

function isHexDigit(byte = 0): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}
