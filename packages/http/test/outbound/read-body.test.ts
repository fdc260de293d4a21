import t from 'tap'

import { readBody } from '../../src/outbound/read-body.js'
import { ScriptedBytes } from './scripted-bytes.js'

const MAX = 10

function open() {
  const source = new ScriptedBytes()
  const stop = new AbortController()
  return { source, stop, read: () => readBody(source, MAX, stop.signal) }
}

const said = ({ bytes, whole }: { readonly bytes: Buffer; readonly whole: boolean }) => [bytes.toString(), whole]

t.test('a body that is all there is read without a promise', async (t) => {
  for (const [pieces, text] of [[[], ''], [['abc'], 'abc'], [['ab', 'c', 'd'], 'abcd']] as const) {
    const { source, read } = open()
    for (const piece of pieces) source.give(piece)
    source.state = 'ended'
    const body = read()
    t.notOk(body instanceof Promise, text)
    t.strictSame(said(await body), [text, true])
  }
})

t.test('what is still to come is waited for, in whatever pieces', async (t) => {
  const { source, read } = open()
  source.give('ab')
  const body = read()
  t.ok(body instanceof Promise)
  source.give('cd')
  await new Promise((resolve) => setImmediate(resolve))
  source.state = 'ended'
  source.give('e')
  t.strictSame(said(await body), ['abcde', true])
})

t.test('a body that breaks off is not whole, and one that is too long is cut', async (t) => {
  const broken = open()
  broken.source.give('ab')
  broken.source.state = 'failed'
  t.strictSame(said(await broken.read()), ['ab', false])
  for (const pieces of [['0123456789a'], ['01234', '56789', 'abc']]) {
    const long = open()
    for (const piece of pieces) long.source.give(piece)
    t.strictSame(said(await long.read()), ['0123456789', false])
    t.strictSame(long.source.log, ['cancel'])
  }
})

t.test('the end of the signal ends the wait', async (t) => {
  const { source, stop, read } = open()
  const body = read()
  stop.abort(new Error('over'))
  source.wake()
  await t.rejects(Promise.resolve(body), { message: 'over' })
  await t.rejects(Promise.resolve(read()), { message: 'over' })
})
