import {
  convertLineEnds,
  corruptEvent,
  cutAfterBytes,
  cutAfterEvents,
  insertAfterEvents,
  splitWrites,
  type ByteStream,
} from '@understudy/http/fault'
import { compressed } from './compress.js'
import type { Dialect } from './dialect/dialect.js'
import type { Ending } from './ending.js'
import { errorBlock } from './error-block.js'
import { pause } from './pause.js'
import { framed } from './frames.js'
import type { Payload } from './payload.js'
import { replayChunks } from './replay-chunks.js'
import type { Fault, Step } from './script.js'

/** What the pipeline needs beside the step. */
export interface StreamContext {
  readonly dialect: Dialect
  readonly signal: AbortSignal
  /** Told when a fault or a byte script decides how the connection ends. Not called: with a complete message. */
  readonly onEnding: (ending: Ending) => void
}

/** A step's bytes as they are written, an item a write: paced, faulty, encoded and split as the step says. */
export function byteStream(payload: Payload, step: Step, context: StreamContext): ByteStream {
  const { signal, onEnding, dialect } = context
  let stream = sourceOf(payload, step, context)
  const { fault, lineEnd, bom, writeSize, trickle, compress } = step
  if (fault !== undefined && fault.afterBytes === undefined && fault.do !== 'bad_checksum') stream = onEvents(stream, fault, dialect, onEnding)
  if (payload.kind === 'events' && payload.framing !== undefined) {
    stream = framed(stream, payload.framing, fault?.do === 'bad_checksum' ? (fault.afterEvents ?? 0) : undefined)
  }
  if (lineEnd !== undefined && lineEnd !== '\n') stream = convertLineEnds(stream, lineEnd)
  if (bom === true) stream = withByteOrderMark(stream)
  if (fault?.afterBytes !== undefined) {
    stream = cutAfterBytes(stream, fault.afterBytes, () => onEnding(endingOf(fault)))
  }
  if (compress !== undefined) stream = compressed(stream, compress)
  if (trickle !== undefined) return spaced(splitWrites(stream, trickle.bytes), trickle.everyMs, signal)
  return writeSize === undefined ? stream : spaced(splitWrites(stream, writeSize), 0, signal)
}

function sourceOf(payload: Payload, step: Step, { signal, onEnding }: StreamContext): ByteStream {
  switch (payload.kind) {
    case 'chunks':
      return replayChunks(step, signal, onEnding)
    case 'events':
      // Unpaced events may share packets, and do: one write in place of sixty.
      return paced(step.eventDelayMs === undefined ? [payload.events.join('')] : payload.events, step, signal)
    case 'bytes':
      return paced([payload.bytes], step, signal)
  }
}

async function* paced(items: readonly (string | Uint8Array)[], step: Step, signal: AbortSignal) {
  for (const [index, item] of items.entries()) {
    await pause(index === 0 ? step.firstEventDelayMs : step.eventDelayMs, signal)
    yield typeof item === 'string' ? Buffer.from(item) : item
  }
}

async function* spaced(source: ByteStream, everyMs: number, signal: AbortSignal) {
  let first = true
  for await (const item of source) {
    if (!first) await pause(everyMs, signal)
    first = false
    yield item
  }
}

async function* withByteOrderMark(source: ByteStream) {
  let first = true
  for await (const item of source) {
    yield first ? Buffer.concat([Buffer.from('\uFEFF'), item]) : item
    first = false
  }
}

function onEvents(stream: ByteStream, fault: Fault, dialect: Dialect, onEnding: (ending: Ending) => void): ByteStream {
  const { afterEvents = 0, goOn } = fault
  switch (fault.do) {
    case 'error_event':
      return insertAfterEvents(stream, afterEvents, Buffer.from(errorBlock(dialect, fault)), { goOn })
    case 'malformed_event':
      return corruptEvent(stream, afterEvents + 1)
    case 'malformed_text':
      return corruptEvent(stream, afterEvents + 1, { keepText: true })
    default:
      return cutAfterEvents(stream, afterEvents, () => onEnding(endingOf(fault)))
  }
}

function endingOf(fault: Fault): Ending {
  switch (fault.do) {
    case 'reset':
    case 'close':
    case 'stall':
      return fault.do
    default:
      return 'end'
  }
}
