import { encodeEvent, parseFrame } from '@understudy/sse'
import type { Dialect } from './dialect/dialect.js'
import type { Fault } from './script.js'

/** The error of an `error_event`, with its blank line: as the vendor writes it, or in the form that the script asks for. */
export function errorBlock(dialect: Dialect, { error, bare }: Fault): string {
  const block = dialect.encodeErrorEvent(error)
  const event = parseFrame(block)
  if (bare === undefined || dialect.framing !== undefined || bare === (event === undefined)) return block
  return event === undefined ? encodeEvent({ data: block.trimEnd() }) : `${event.data}\n\n`
}
