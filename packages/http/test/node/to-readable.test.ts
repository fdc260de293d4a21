import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import t from 'tap'

import { byteSource } from '../../../../test/kit/byte-source.js'
import { collectGarbage } from '../../../../test/kit/collect-garbage.js'
import type { NodeClient } from '../../src/node/disconnect.js'
import { toPayload, toReadable } from '../../src/node/to-readable.js'

/** A client that leaves when a test says so. */
function someone(): NodeClient & { readonly log: string[] } {
  const listeners: (() => void)[] = []
  const log: string[] = []
  let isGone = false
  return {
    log,
    isGone: () => isGone,
    onGone: (listener) => (isGone ? listener() : void listeners.push(listener)),
    signal: () => new AbortController().signal,
    answered: () => void log.push('answered'),
    leave() {
      isGone = true
      for (const listener of listeners.splice(0)) listener()
    },
  }
}

function items(log: string[], sizes: readonly number[], failure?: Error): AsyncIterable<Uint8Array> {
  let index = 0
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        log.push('next')
        const size = sizes[index]
        index += 1
        if (size !== undefined) return { done: false, value: Buffer.alloc(size, 'x') }
        if (failure !== undefined) throw failure
        return { done: true, value: undefined }
      },
      async return() {
        log.push('return')
        return { done: true, value: undefined }
      },
    }),
  }
}

t.test('gives one chunk for an item, in order, and closes the source once', async (t) => {
  const log: string[] = []
  const lengths: number[] = []
  const client = someone()
  for await (const chunk of toReadable(items(log, [1, 40_000, 0, 3]), client)) lengths.push(chunk.length)
  t.strictSame(client.log, ['answered'])
  t.equal(lengths.reduce((sum, length) => sum + length, 0), 40_004)
  t.strictSame(log, ['next', 'next', 'next', 'next', 'next', 'return'])
})

t.test('asks for nothing before it is read, and for no more than its buffer holds', async (t) => {
  const log: string[] = []
  const readable = toReadable(items(log, Array.from({ length: 50 }, () => 8_192)), someone())
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(log, [])
  readable.read(0)
  await new Promise((resolve) => setImmediate(resolve))
  t.strictSame(log, ['next', 'next'])
  readable.destroy()
  t.strictSame(log, ['next', 'next', 'return'])
})

t.test('never asks twice at once', async (t) => {
  const source = byteSource()
  const readable = toReadable(source, someone())
  for (let n = 0; n < 5; n += 1) readable.read(0)
  t.equal(source.asked(), 1)
  source.push('one')
  const [chunk] = await once(readable, 'data')
  t.equal(String(chunk), 'one')
  await source.hungry()
  t.equal(source.asked(), 2)
  readable.destroy()
  await once(readable, 'close')
  t.equal(source.returns(), 1)
})

t.test('a client that leaves destroys it, also one that is gone already, and one whose host never reads it', async (t) => {
  for (const when of ['before', 'reading', 'unread']) {
    const client = someone()
    if (when === 'before') client.leave()
    const source = byteSource()
    const readable = toReadable(source, client)
    readable.on('error', (error) => t.fail(String(error)))
    if (when !== 'unread') readable.read(0)
    client.leave()
    await once(readable, 'close')
    t.equal(source.returns(), 1)
    t.equal(readable.destroyed, true)
    t.strictSame(client.log, [], 'it has no answer')
  }
})

t.test('a source that fails is an error of the stream; one that fails to close is not', async (t) => {
  const failure = new Error('broken')
  const log: string[] = []
  const readable = toReadable(items(log, [1], failure), someone())
  readable.resume()
  const [error] = await once(readable, 'error')
  t.equal(error, failure)
  t.strictSame(log, ['next', 'next', 'return'])

  const stubborn = toReadable({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: true, value: undefined }),
      return: () => Promise.reject(failure),
    }),
  }, someone())
  stubborn.resume()
  await once(stubborn, 'close')
  await new Promise((resolve) => setImmediate(resolve))
})

t.test('works without a return, and with a writer that is slow', async (t) => {
  let left = 20
  const written: number[] = []
  const source = { [Symbol.asyncIterator]: () => ({
    next: () => Promise.resolve(left-- > 0 ? { done: false, value: Buffer.alloc(9_000) } : { done: true, value: undefined }),
  }) } as AsyncIterable<Uint8Array>
  const slow = new Writable({ highWaterMark: 1, write: (chunk, _encoding, done) => { written.push(chunk.length); setImmediate(done) } })
  toReadable(source, someone()).pipe(slow)
  await once(slow, 'finish')
  t.strictSame(written, Array.from({ length: 20 }, () => 9_000))
})

t.test('a payload is a Buffer over the same bytes, an empty one, or a stream', async (t) => {
  const response = { status: 200, headers: {} }
  const bytes = new Uint8Array([1, 2, 3, 4]).subarray(1, 3)
  const buffer = toPayload({ ...response, body: bytes }, someone())
  t.ok(Buffer.isBuffer(buffer) && buffer.buffer === bytes.buffer && buffer.equals(bytes))
  t.strictSame(toPayload({ ...response, body: undefined }, someone()), Buffer.alloc(0))
  const stream = toPayload({ ...response, body: items([], []) }, someone())
  t.ok(stream instanceof Readable)
})

t.test('a listener that throws ends its own response, and no more', async (t) => {
  const log: string[] = []
  const readable = toReadable(items(log, [1, 1]), someone())
  const failed = once(readable, 'error')
  readable.on('data', () => {
    throw new Error('a fault of the host')
  })
  const [error] = await failed
  t.match(error, { message: 'a fault of the host' })
  t.equal(log.at(-1), 'return')
})

t.test('a stream that is over holds its source no longer, whoever holds the stream', async (t) => {
  for (const ending of ['read to its end', 'destroyed']) {
    const client = someone()
    const { weak, readable } = weaklyOver(client)
    if (ending === 'destroyed') readable.destroy()
    else t.equal((await readable.toArray()).length, 1)
    // A weak reference holds what it points to until the job that made it is over.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    t.equal(weak.deref(), undefined, ending)
    t.equal(readable.destroyed, true)
  }
})

function weaklyOver(client: NodeClient): { readonly weak: WeakRef<object>; readonly readable: Readable } {
  const iterator = items([], [1])[Symbol.asyncIterator]()
  return { weak: new WeakRef(iterator), readable: toReadable({ [Symbol.asyncIterator]: () => iterator }, client) }
}
