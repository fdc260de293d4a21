import { EventStreamCodec } from '@smithy/eventstream-codec'
import { hasData, splitEvents, type ByteStream } from '@understudy/http/fault'
import { parseFrame } from '@understudy/sse'

/** How a dialect's events go out in AWS's binary event stream. */
export interface Framing {
  /** The name and the JSON text of the frame that holds an event. */
  readonly payloadOf: (name: string, data: string) => { readonly name: string, readonly text: string }
}

const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'))

/**
 * The events of a stream as frames, one an item; comments have none. An event whose name ends in `Exception` is an exception. The frame
 * behind `badChecksumAfter` frames, if that is given, has a checksum that is wrong.
 */
export async function* framed(
  source: ByteStream,
  { payloadOf }: Framing,
  badChecksumAfter?: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let sent = 0
  for await (const block of splitEvents(source)) {
    const event = hasData(block) ? parseFrame(Buffer.from(block).toString('latin1')) : undefined
    if (event === undefined) continue
    const frame = encodeFrame(event.event ?? '', event.data, payloadOf)
    if (sent === badChecksumAfter) frame.set([(frame.at(-1) ?? 0) ^ 1], frame.length - 1)
    sent += 1
    yield frame
  }
}

function encodeFrame(event: string, data: string, payloadOf: Framing['payloadOf']): Uint8Array {
  const isException = event.endsWith('Exception')
  const { name, text } = isException ? { name: event, text: data } : payloadOf(event, data)
  const kind = isException ? 'exception' : 'event'
  const headers = { [`:${kind}-type`]: name, ':content-type': 'application/json', ':message-type': kind }
  return codec.encode({
    headers: Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, { type: 'string', value }])),
    body: Buffer.from(text, 'utf8'),
  })
}
