import type { StopSignal } from '@understudy/core'

/**
 * What can go wrong with the bytes of an event stream, as transformations of those bytes. Drills use them on a leg's
 * real stream, the simulator on its own. Each closes its source when it is closed itself, and asks it for nothing
 * while nobody asks for more.
 */

/** A stream of bytes, as it arrives: an item a read. */
export type ByteStream = AsyncIterable<Uint8Array>

/** A line end that the event-stream format allows. */
export type LineEnd = '\n' | '\r\n' | '\r'

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** Enough of an event's data to be broken JSON, too little to hold output text in any dialect. */
const textFreePrefix = 8

/**
 * The stream in whole blocks, each with the blank line that ends it; what follows the last blank line comes last.
 * With CR line ends a block may begin with the LF that belongs to the block before; parsers ignore it there.
 */
export async function* splitEvents(source: ByteStream): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array = new Uint8Array(0)
  let lineIsEmpty = true
  let afterCarriageReturn = false
  for await (const bytes of source) {
    let start = 0
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index]
      const secondHalf = byte === lineFeed && afterCarriageReturn
      afterCarriageReturn = byte === carriageReturn
      if (secondHalf) continue
      if (byte !== lineFeed && byte !== carriageReturn) {
        lineIsEmpty = false
        continue
      }
      const blockEnds = lineIsEmpty
      lineIsEmpty = true
      if (!blockEnds) continue
      if (byte === carriageReturn && bytes[index + 1] === lineFeed) {
        index += 1
        afterCarriageReturn = false
      }
      yield Buffer.concat([held, bytes.subarray(start, index + 1)])
      held = new Uint8Array(0)
      start = index + 1
    }
    held = Buffer.concat([held, bytes.subarray(start)])
  }
  if (held.length > 0) yield held
}

/** Whether a block is an event: comments, and fields without data, are not. */
export function hasData(block: Uint8Array): boolean {
  return /(?:^(?:\xef\xbb\xbf)?|[\r\n])data(?:[:\r\n]|$)/.test(Buffer.from(block).toString('latin1'))
}

/** Ends after so many events, at once; `onCut` is told. A stream with fewer passes whole. */
export async function* cutAfterEvents(
  source: ByteStream,
  events: number,
  onCut?: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let seen = 0
  if (events > 0) {
    for await (const block of splitEvents(source)) {
      yield block
      if (hasData(block)) seen += 1
      if (seen >= events) break
    }
  }
  if (seen >= events) onCut?.()
}

/** Ends after so many bytes, at once; `onCut` is told. A stream with fewer passes whole. */
export async function* cutAfterBytes(
  source: ByteStream,
  bytes: number,
  onCut?: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  if (left > 0) {
    for await (const item of source) {
      yield item.subarray(0, left)
      left -= item.length
      if (left <= 0) break
    }
  }
  if (left <= 0) onCut?.()
}

/** Passes everything, then stays silent until the signal aborts, and throws its reason. */
export async function* stallAtEnd(
  source: ByteStream,
  signal: StopSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* source
  await new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail)
  })
}

/**
 * Breaks the JSON of one event (the first is 1), or of every one, and passes the rest: cut before any output text, or, with
 * `keepText`, just before its end.
 */
export async function* corruptEvent(
  source: ByteStream,
  number: number | 'every',
  { keepText = false }: { readonly keepText?: boolean | undefined } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  let seen = 0
  for await (const block of splitEvents(source)) {
    if (hasData(block)) seen += 1
    yield (number === 'every' || seen === number) && hasData(block) ? corrupt(block, keepText) : block
  }
}

function corrupt(block: Uint8Array, keepText: boolean): Uint8Array {
  const text = Buffer.from(block).toString('latin1')
  const start = /(?:^|[\r\n])(?:\xef\xbb\xbf)?data:? ?/.exec(text)
  const dataStart = (start?.index ?? 0) + (start?.[0].length ?? 0)
  const blockEnd = /[\r\n]*$/.exec(text)?.index ?? text.length
  const dataEnd = keepText ? blockEnd - 1 : Math.min(dataStart + textFreePrefix, blockEnd - 1)
  return Buffer.from(text.slice(0, dataEnd) + text.slice(blockEnd), 'latin1')
}

/** Puts bytes in after so many events, and ends there unless `goOn`. A stream with fewer passes whole. */
export async function* insertAfterEvents(
  source: ByteStream,
  events: number,
  inserted: Uint8Array,
  { goOn = false }: { readonly goOn?: boolean | undefined } = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  let seen = 0
  if (events === 0) {
    yield inserted
    if (!goOn) return
  }
  for await (const block of splitEvents(source)) {
    yield block
    if (!hasData(block)) continue
    seen += 1
    if (seen !== events) continue
    yield inserted
    if (!goOn) return
  }
}

/** The same bytes in items of exactly `size`; only the last may be smaller. Item borders are not kept. */
export async function* splitWrites(source: ByteStream, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array = new Uint8Array(0)
  for await (const item of source) {
    held = held.length === 0 ? item : Buffer.concat([held, item])
    while (held.length >= size) {
      yield held.subarray(0, size)
      held = held.subarray(size)
    }
  }
  if (held.length > 0) yield held
}

/** The same lines with another line end; CRLF, LF and CR are all read as one. */
export async function* convertLineEnds(
  source: ByteStream,
  lineEnd: LineEnd,
): AsyncGenerator<Uint8Array, void, undefined> {
  let afterCarriageReturn = false
  for await (const item of source) {
    const text = Buffer.from(item).toString('latin1')
    const whole = afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') afterCarriageReturn = text.endsWith('\r')
    yield Buffer.from(whole.replace(/\r\n|\n|\r/g, lineEnd), 'latin1')
  }
}

/** Writes over the first bytes of what is no stream of events: neither JSON nor a frame with a checksum stands that. */
export async function* corruptBytes(source: ByteStream, bytes = textFreePrefix): AsyncGenerator<Uint8Array, void, undefined> {
  let left = bytes
  for await (const item of source) {
    yield left > 0 ? Buffer.concat([Buffer.alloc(Math.min(left, item.length), 0xff), item.subarray(left)]) : item
    left -= item.length
  }
}
