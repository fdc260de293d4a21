import { EventStreamCodec } from '@smithy/eventstream-codec'
import type { Frame } from '@understudy/dialects'
import { crc32 } from 'node:zlib'

/** A frame without headers or a payload. */
const MIN_FRAME_BYTES = 16
/** Two lengths and the checksum of both. */
const PRELUDE_BYTES = 12
/** As for the events of other dialects. */
const DEFAULT_MAX_FRAME_BYTES = 8 * 1024 * 1024

const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'))

/** Cuts a stream of bytes, however it is split, into the frames of AWS's binary event stream. */
export interface BinaryFrameReader {
  /** Calls `onFrame` for each frame that these bytes complete. Throws at what is none: a checksum, a length or a header that is wrong. */
  push(bytes: Buffer, onFrame: (frame: Frame) => void): void
}

/** A reader for one stream. A length is not believed before its checksum is right. O(n), whatever the reads. */
export function createBinaryFrameReader(maxFrameBytes = DEFAULT_MAX_FRAME_BYTES): BinaryFrameReader {
  /** Reads of a frame that is not whole, and how many bytes they are. */
  let held: Buffer[] = []
  let heldBytes = 0
  /** How long that frame is; 0 = not known. */
  let wanted = 0

  function lengthOf(bytes: Buffer): number {
    const length = bytes.readUInt32BE(0)
    if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw new RangeError('the checksum of a length is wrong')
    if (length < MIN_FRAME_BYTES || length > maxFrameBytes) throw new RangeError('a frame has a length that none can have')
    return length
  }

  return {
    push(read, onFrame) {
      held.push(read)
      heldBytes += read.length
      if (heldBytes < (wanted === 0 ? PRELUDE_BYTES : wanted)) return
      const bytes = held.length === 1 ? read : Buffer.concat(held, heldBytes)
      let start = 0
      wanted = 0
      while (bytes.length - start >= PRELUDE_BYTES) {
        wanted = lengthOf(bytes.subarray(start, start + PRELUDE_BYTES))
        if (bytes.length - start < wanted) break
        onFrame(frameOf(bytes.subarray(start, start + wanted)))
        start += wanted
        wanted = 0
      }
      heldBytes = bytes.length - start
      held = heldBytes === 0 ? [] : [bytes.subarray(start)]
    },
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
function frameOf(bytes: Buffer): Frame {
  const { headers, body } = codec.decode(bytes)
  const text = (name: string): string => {
    const value = headers[name]?.value
    return typeof value === 'string' ? value : ''
  }
  switch (text(':message-type')) {
    case 'exception':
      return { type: 'exception', name: text(':exception-type'), text: textOf(body) }
    case 'error':
      return { type: 'error', name: text(':error-code'), text: text(':error-message') }
    default:
      return { type: 'event', name: text(':event-type'), text: textOf(body) }
  }
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')
}
