import { createFallback } from '@understudy/http'
import type { Fallback, FallbackEvent } from '@understudy/http'
import t from 'tap'

import { eventStream } from '../src/event-stream.js'
import { says } from './mounted.js'

// A stream holds no process; this test has nothing else that does.
const held = setInterval(() => undefined, 1_000)
t.teardown(() => clearInterval(held))

function made({ types, tickMs = 60_000 }: { readonly types?: ReadonlySet<string>; readonly tickMs?: number } = {}) {
  const listeners = new Set<(event: FallbackEvent) => void>()
  const own = createFallback({ chat: [says('one')] })
  t.teardown(() => own.close())
  const on: Fallback['on'] = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const controller = new AbortController()
  let statuses = 0
  const stream = eventStream({
    fallback: { ...own, on }, types, tickMs, signal: controller.signal, status: () => ({ number: (statuses += 1) }),
  })
  const tell = (event: FallbackEvent) => listeners.forEach((listener) => listener(event))
  const next = async () => Buffer.from((await stream.next()).value ?? []).toString()
  return { own, stream, tell, next, listeners, controller }
}

const ENDED: FallbackEvent = { type: 'run-end', requestId: 'id', route: 'chat', lane: 'standard', at: 1, latencyMs: 2 }
const CLOSED: FallbackEvent = { type: 'breaker-closed', provider: 'a', failures: 0, state: 'closed', at: 1 }

t.test('a status comes first, then events as they come, and a status at once behind what matters', async (t) => {
  const { next, tell } = made()
  t.equal(await next(), 'event: status\ndata: {"number":1}\n\n')
  const waiting = next()
  tell(ENDED)
  t.equal(await waiting, 'event: run-end\ndata: {"type":"run-end","request_id":"id","route":"chat","lane":"standard","at":1,"latency_ms":2}\n\n')
  tell(CLOSED)
  t.match(await next(), /^event: breaker-closed\ndata: .*\n\nevent: status\ndata: \{"number":2\}\n\n$/)
})

t.test('types that were not asked for are not sent, and a status tells of them at the next look', async (t) => {
  const { next, tell } = made({ types: new Set(['chain-applied']), tickMs: 20 })
  await next()
  tell(ENDED)
  t.equal(await next(), 'event: status\ndata: {"number":2}\n\n')
})

t.test('a quiet stream has comments, and a status now and then', async (t) => {
  const { next } = made({ tickMs: 5 })
  const said: string[] = []
  for (let count = 0; count < 6; count += 1) said.push(await next())
  t.strictSame(said, ['event: status\ndata: {"number":1}\n\n', ...Array<string>(4).fill(': here\n\n'), 'event: status\ndata: {"number":2}\n\n'])
})

t.test('a reader that is too slow is told how many it missed', async (t) => {
  const { next, tell } = made()
  await next()
  for (let count = 0; count < 1_005; count += 1) tell(ENDED)
  const said = await next()
  t.equal(said.match(/event: run-end/g)?.length, 1_000)
  t.match(said, /event: missed\ndata: \{"count":5\}\n\n$/)
})

t.test('it ends when the reader leaves, when the Fallback closes, and in the end by itself, and listens no more', async (t) => {
  const ways: [string, (made_: ReturnType<typeof made>) => unknown][] = [
    ['the reader', ({ controller }) => controller.abort()], ['the close', ({ own }) => own.close()], ['return', ({ stream }) => stream.return()],
  ]
  for (const [name, way] of ways) {
    const one = made()
    await one.next()
    t.equal(one.listeners.size, 1)
    const waiting = name === 'return' ? undefined : one.stream.next()
    await way(one)
    if (waiting !== undefined) t.equal((await waiting).done, true, name)
    t.equal(one.listeners.size, 0, name)
  }
  const late = made({ tickMs: 15 * 60_000 })
  late.controller.abort()
  t.equal((await late.stream.next()).done, true)
})

t.test('however many read, nobody is warned of their number', async (t) => {
  const warnings: string[] = []
  const hear = ({ name }: Error) => void warnings.push(name)
  process.on('warning', hear)
  const fallback = createFallback({ chat: [says('one')] })
  const signals = Array.from({ length: 20 }, () => new AbortController())
  const streams = signals.map(({ signal }) => eventStream({ fallback, signal, tickMs: 60_000, status: () => ({}) }))
  for (const stream of streams) await stream.next()
  await fallback.close()
  t.strictSame(await Promise.all(streams.map(async (stream) => (await stream.next()).done)), streams.map(() => true))
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', hear)
  t.strictSame(warnings, [])
})
