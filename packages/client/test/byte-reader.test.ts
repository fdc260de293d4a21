import { Readable } from 'node:stream'

import t from 'tap'

import { within } from '../../../test/kit/within.js'
import { readBytes } from '../src/byte-reader.js'

/** A body of these pieces that then ends, or says nothing more; and what became of it. */
function scripted(pieces: readonly string[], { ends }: { readonly ends: boolean }) {
  const log: string[] = []
  let next = 0
  let abort = (): void => undefined
  const aborted = new Promise<void>((resolve) => {
    abort = () => {
      log.push('aborted')
      resolve()
    }
  })
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[next]
      next += 1
      if (piece !== undefined) controller.enqueue(Buffer.from(piece))
      else if (ends) {
        log.push('ended')
        controller.close()
      } else return aborted.then(() => controller.error(new Error('aborted')))
    },
    cancel: () => void log.push('cancelled'),
  }, { highWaterMark: 0 })
  return { body, log, abort: () => abort(), aborted }
}

const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString()

t.test('a body is read piece by piece, be it a web stream, one of Node\'s, or none', async (t) => {
  const { body, log, abort } = scripted(['one', 'two'], { ends: true })
  const reader = readBytes(body, abort)
  t.strictSame([textOf(await reader.read()), textOf(await reader.read()), await reader.read(), await reader.read()], ['one', 'two', undefined, undefined])
  reader.cancel()
  t.strictSame(log, ['ended'], 'nothing is left to cancel')

  const other = readBytes(Readable.from(['text', Buffer.from('bytes')]), () => t.fail('nobody aborts'))
  t.strictSame([textOf(await other.read()), textOf(await other.read()), await other.read()], ['text', 'bytes', undefined])
  t.equal(await readBytes(null, () => undefined).read(), undefined)
})

t.test('what is released is read to its end, and its connection is kept', async (t) => {
  const { body, log, abort } = scripted(['one', 'rest', 'rest'], { ends: true })
  const reader = readBytes(body, abort)
  await reader.read()
  reader.release()
  t.equal(await reader.read(), undefined, 'for nobody')
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(log, ['ended'])
})

t.test('a released body that does not end is given up after a second', async (t) => {
  const { body, log, abort, aborted } = scripted(['one'], { ends: false })
  const reader = readBytes(body, abort)
  await reader.read()
  const startedAt = performance.now()
  const holder = setTimeout(() => undefined, 3_000)
  reader.release()
  await within(2_500, 'it is given up', aborted)
  clearTimeout(holder)
  t.ok(performance.now() - startedAt > 900)
  t.strictSame(log, ['aborted'])
})

t.test('what is cancelled loses its connection, while it is being read too', async (t) => {
  const { body, log, abort } = scripted([], { ends: false })
  const reader = readBytes(body, abort)
  const reading = reader.read()
  reader.cancel()
  await t.rejects(within(1_000, 'the read ends', reading), { message: 'aborted' })
  reader.cancel()
  t.strictSame(log, ['aborted'])
})
