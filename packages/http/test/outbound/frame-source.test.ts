import { failureOf } from '@understudy/core'
import t from 'tap'
import { recorded, recordedBytes } from '../../../../test/kit/recorded.js'
import type { ByteSource } from '../../src/outbound/byte-source.js'
import { createFrameSource } from '../../src/outbound/frame-source.js'

const BYTES = recordedBytes('bedrock/text.bin')
const TEXT = recorded('bedrock/text.sse')

/** A source that a test feeds by hand, and what was done with it. */
function fed() {
  const log: string[] = []
  const reads: Buffer[] = []
  let onReady: (() => void) | undefined
  const source: ByteSource & { state: 'open' | 'ended' | 'failed' } = {
    state: 'open',
    failure: undefined,
    take: () => reads.shift(),
    onReady: (callback) => {
      onReady = callback
    },
    release: () => void log.push('release'),
    cancel: () => void log.push('cancel'),
  }
  return { source, log, push: (bytes: Buffer) => reads.push(bytes), wake: () => onReady?.() }
}

t.test('bytes that complete no frame give nothing, and those that do give its event', async (t) => {
  const { source, push } = fed()
  const frames = createFrameSource(source)
  const length = BYTES.readUInt32BE(0)
  t.equal(frames.take(), undefined)
  push(BYTES.subarray(0, length - 1))
  t.equal(frames.take(), undefined)
  push(BYTES.subarray(length - 1, length))
  t.equal(frames.take()?.toString(), TEXT.slice(0, TEXT.indexOf('\n\n') + 2))
  push(BYTES.subarray(length, length + 5))
  push(BYTES.subarray(length + 5))
  t.equal(frames.take()?.toString(), TEXT.slice(TEXT.indexOf('\n\n') + 2), 'across reads that complete none')
  t.equal(frames.take(), undefined)
})

t.test('it is ready, ends and fails as the bytes do, and lets go of them as it is let go', async (t) => {
  const { source, log, wake } = fed()
  const frames = createFrameSource(source)
  let woken = 0
  frames.onReady(() => (woken += 1))
  wake()
  t.strictSame([woken, frames.state, frames.failure], [1, 'open', undefined])
  source.state = 'ended'
  t.equal(frames.state, 'ended')
  frames.release()
  frames.cancel()
  t.strictSame(log, ['release', 'cancel'])
  const failed = createFrameSource({ ...source, state: 'failed', failure: failureOf('connection_error') })
  t.match([failed.state, failed.failure], ['failed', { kind: 'connection_error' }])
})

t.test('a broken frame fails it behind what came whole, cuts the bytes and wakes who waits', async (t) => {
  const { source, log, push } = fed()
  const frames = createFrameSource(source)
  const broken = Buffer.from(BYTES)
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1
  push(broken)
  push(BYTES)
  const events = frames.take()?.toString() ?? ''
  t.ok(events.includes('messageStop') && !events.includes('metadata'))
  t.match([frames.state, frames.failure, frames.take(), log], ['failed', { kind: 'malformed', code: 'frame' }, undefined, ['cancel']])
  await new Promise<void>((resolve) => frames.onReady(resolve))
})
