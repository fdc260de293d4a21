import { EventStreamCodec } from '@smithy/eventstream-codec'
import { encodeFrame, type Frame } from '@understudy/dialects'
import fc from 'fast-check'
import t from 'tap'
import { recorded, recordedBytes } from '../../../../test/kit/recorded.js'
import { cuttings } from '../../../dialects/test/replay.js'
import { createBinaryFrameReader } from '../../src/outbound/binary-frame-reader.js'

const FRAMED = ['anthropic/bedrock-chunks', ...['guardrail', 'text', 'thinking', 'throttled', 'tools'].map((name) => `bedrock/${name}`)]
const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'))

/** A frame as the vendor's own library writes it. */
function frame(headers: Readonly<Record<string, string>>, text: string): Buffer {
  const typed = Object.entries(headers).map(([name, value]) => [name, { type: 'string', value }])
  return Buffer.from(codec.encode({ headers: Object.fromEntries(typed) as Parameters<typeof codec.encode>[0]['headers'], body: Buffer.from(text) }))
}

function event(name: string, text = '{}'): Buffer {
  return frame({ ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }, text)
}

/** What a reader makes of reads, and whether it gave up. */
function read(reads: readonly Uint8Array[], maxFrameBytes?: number) {
  const reader = createBinaryFrameReader(maxFrameBytes)
  const frames: Frame[] = []
  try {
    for (const bytes of reads) reader.push(Buffer.from(bytes), (one) => frames.push(one))
    return { frames, broken: false }
  } catch {
    return { frames, broken: true }
  }
}

for (const name of FRAMED) {
  t.test(`the frames of ${name} are the events that its dialect reads, however they are cut`, async (t) => {
    const text = recorded(`${name}.sse`)
    for (const reads of cuttings(recordedBytes(`${name}.bin`))) {
      const { frames, broken } = read(reads)
      t.strictSame([frames.map(encodeFrame).join(''), broken], [text, false])
    }
  })
}

t.test('events, exceptions and errors are told apart by their headers', async (t) => {
  const stream = [
    event('messageStart', '{"role":"assistant"}'),
    frame({ ':exception-type': 'throttlingException', ':message-type': 'exception' }, '{"message":"slow"}'),
    frame({ ':error-code': 'InternalFailure', ':error-message': 'broken', ':message-type': 'error' }, ''),
    frame({}, ''),
  ]
  t.strictSame(read([Buffer.concat(stream)]).frames, [
    { type: 'event', name: 'messageStart', text: '{"role":"assistant"}' },
    { type: 'exception', name: 'throttlingException', text: '{"message":"slow"}' },
    { type: 'error', name: 'InternalFailure', text: 'broken' },
    { type: 'event', name: '', text: '' },
  ])
})

t.test('a wrong byte anywhere breaks the stream, and what came whole before it counts', async (t) => {
  const first = event('a')
  const second = event('b', '{"text":"x"}')
  for (let index = 0; index < second.length; index += 1) {
    const broken = Buffer.from(second)
    broken[index] = (broken[index] ?? 0) ^ 0x20
    t.strictSame(read([Buffer.concat([first, broken, first])]), { frames: [{ type: 'event', name: 'a', text: '{}' }], broken: true }, `byte ${index}`)
  }
})

t.test('a length is not believed before its checksum is right, nor where no frame can have it', async (t) => {
  const whole = event('a')
  const huge = Buffer.from(whole)
  huge.writeUInt32BE(0x7fffffff, 0)
  t.ok(read([huge.subarray(0, 12)]).broken, 'nothing is waited for')
  t.ok(read([whole], whole.length - 1).broken, 'longer than a frame may be')
  t.notOk(read([whole], whole.length).broken)
})

t.test('whatever frames, in whatever reads, come out as they went in', async () => {
  const name = fc.stringMatching(/^[A-Za-z]{1,20}$/)
  const frames = fc.array(fc.record({ type: fc.constantFrom('event' as const, 'exception' as const), name, text: fc.string({ unit: 'grapheme' }) }), { maxLength: 6 })
  fc.assert(fc.property(frames, fc.array(fc.nat(400), { maxLength: 12 }), (said, cuts) => {
    const bytes = Buffer.concat(said.map(({ type, name: own, text }) => frame({ [`:${type}-type`]: own, ':message-type': type }, text)))
    const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((left, right) => left - right)
    const reads = places.slice(1).map((place, index) => bytes.subarray(places[index], place))
    const result = read(reads)
    return !result.broken && JSON.stringify(result.frames) === JSON.stringify(said)
  }), { numRuns: 300 })
})
