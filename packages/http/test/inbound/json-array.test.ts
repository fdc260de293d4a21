import t from 'tap'

import { asJsonArray, asksForEvents } from '../../src/inbound/json-array.js'
import type { OutboundResponse } from '../../src/inbound/response.js'
import { textOf } from '../kit.js'

function streamed(reads: readonly string[], onReturn: () => void = () => undefined): OutboundResponse {
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      for (const read of reads) yield await Promise.resolve(Buffer.from(read))
    } finally {
      onReturn()
    }
  }
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: body() }
}

t.test('only alt=sse asks for events', async (t) => {
  t.strictSame(['alt=sse', 'key=a&alt=sse', '', 'alt=json', 'alt'].map(asksForEvents), [true, true, false, false, false])
})

t.test('each event is an item, however it is cut, and comments are none', async (t) => {
  const response = asJsonArray(streamed([': hi\n\ndata: {"a":', '1}\n\ndata: {"b":"\u00e9"}\n\n', 'data: {"error":{}}\n\n{"error":{}}']))
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.strictSame(JSON.parse(await textOf(response)), [{ a: 1 }, { b: '\u00e9' }, { error: {} }])
  t.equal(await textOf(asJsonArray(streamed([]))), '[]')
})

t.test('a document is as it was, and a reader that leaves ends the stream', async (t) => {
  const whole = { status: 200, headers: {}, body: Buffer.from('{}') }
  t.equal(asJsonArray(whole), whole)
  let returned = 0
  const { body } = asJsonArray(streamed(['data: 1\n\n', 'data: 2\n\n'], () => (returned += 1)))
  if (body === undefined || body instanceof Uint8Array) throw new Error('no stream')
  const reader = body[Symbol.asyncIterator]()
  await reader.next()
  await reader.return?.()
  t.strictSame(await reader.next(), { done: true, value: undefined })
  t.equal(returned, 1)
})
