import type { Arrival, StopSignal } from '@understudy/core'
import { READ } from '@understudy/core'
import type { StreamDecoder } from '@understudy/dialects'
import t from 'tap'

import { EventArrivals } from '../../src/outbound/event-arrivals.js'
import { SayableArrivals } from '../../src/outbound/sayable-arrivals.js'
import { ScriptedBytes } from './scripted-bytes.js'

/** One text part a read; `-` completes nothing, `!` ends, `?` is a fault of the decoder. */
const decoder: StreamDecoder = {
  push(bytes) {
    const text = Buffer.from(bytes).toString()
    if (text === '-') return undefined
    if (text === '?') throw new Error('a fault of ours')
    return { events: 1, parts: text === '!' ? [{ type: 'end' }] : [{ type: 'text', text }] }
  },
  end: () => undefined,
  committed: () => undefined,
}

function open(signal: StopSignal = new AbortController().signal) {
  const source = new ScriptedBytes()
  const log: string[] = []
  const arrivals = new EventArrivals(source, decoder, signal, undefined)
  const ask = (asked: EventArrivals | SayableArrivals = arrivals) => asked[READ]({
    onItem: (result) => void log.push(result.done === true ? 'done' : result.value.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join()),
    onFailure: (error) => void log.push(`error: ${error instanceof Error ? error.message : String(error)}`),
  })
  return { source, log, arrivals, ask }
}

t.test('a direct read is answered once, when a read of the socket completes something', async (t) => {
  const { source, log, ask } = open()
  ask()
  source.give('-')
  t.strictSame(log, [])
  source.give('a')
  source.wake()
  t.strictSame(log, ['a'])
  ask()
  source.give('!')
  ask()
  t.strictSame(log, ['a', 'end', 'done'])
  t.strictSame(source.log, ['release'])
})

t.test('what is there already is given before the read returns', async (t) => {
  const { source, log, ask } = open()
  source.give('a')
  ask()
  t.strictSame(log, ['a'])
})

t.test('a close reaches a read that waits, once, and cuts the socket', async (t) => {
  const { source, log, arrivals, ask } = open()
  ask()
  await arrivals.return()
  await arrivals.return()
  source.give('a')
  t.strictSame(log, ['done'])
  t.strictSame(source.log, ['cancel'])
})

t.test('a fault while bytes are decoded is told to the reader, and thrown at nobody', async (t) => {
  const { source, log, arrivals, ask } = open()
  ask()
  source.give('?')
  t.strictSame(log, ['error: a fault of ours'])
  const waiting = arrivals.next()
  source.give('?')
  await t.rejects(waiting, { message: 'a fault of ours' })
})

t.test('an abort is told to the reader with its reason', async (t) => {
  const controller = new AbortController()
  const { source, log, ask } = open(controller.signal)
  ask()
  controller.abort(new Error('left'))
  source.wake()
  t.strictSame(log, ['error: left'])
  t.strictSame(source.log, ['cancel'])
})

t.test('what a client of another dialect can be told is read the same way', async (t) => {
  const { source, log, arrivals, ask } = open()
  const said = new SayableArrivals(arrivals, (arrival) => {
    const [part] = arrival.parts
    if (part?.type !== 'text') return arrival
    if (part.text === 'bad') throw new Error('nothing to say')
    return { ...arrival, parts: [{ ...part, text: part.text.toUpperCase() }] }
  })
  ask(said)
  source.give('a')
  ask(said)
  source.give('bad')
  ask(said)
  source.give('!')
  ask(said)
  t.strictSame(log, ['A', 'error: nothing to say', 'end', 'done'])
  t.strictSame(await said.return(), { done: true, value: undefined })
})

t.test('arrivals that only promise are read too', async (t) => {
  const given: Arrival[] = [{ events: 1, parts: [{ type: 'text', text: 'a' }] }]
  async function* promised(): AsyncGenerator<Arrival, undefined> {
    yield* given
    return undefined
  }
  const log: unknown[] = []
  const said = new SayableArrivals(promised(), (arrival) => arrival)
  await new Promise<void>((resolve) => said[READ]({
    onItem(result) {
      log.push(result.value)
      resolve()
    },
    onFailure: t.threw,
  }))
  t.strictSame(log, given)
})
