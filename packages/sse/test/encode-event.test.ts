import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { createEventReader, encodeComment, encodeEvent } from '@understudy/sse'

t.test('writes the fields that an event has', async (t) => {
  t.equal(encodeEvent({ data: 'a' }), 'data: a\n\n')
  t.equal(encodeEvent({ data: '' }), 'data: \n\n')
  t.equal(encodeEvent({ event: 'b', data: 'a', id: '1' }), 'event: b\nid: 1\ndata: a\n\n')
})

t.test('splits data of several lines, and no others', async (t) => {
  t.equal(encodeEvent({ data: 'a\nb\r\nc\rd\n' }), 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n')
  t.equal(encodeEvent({ data: 'a\u2028b' }), 'data: a\u2028b\n\n')
})

t.test('refuses an event or id that would break out of its line', async (t) => {
  for (const value of ['a\nb', 'a\rb', 'a\0']) {
    t.throws(() => encodeEvent({ event: value, data: '' }), { name: 'TypeError', message: /^event must be one line/ })
    t.throws(() => encodeEvent({ id: value, data: '' }), { name: 'TypeError', message: /^id must be one line/ })
  }
})

t.test('writes a comment as one line without a blank line after it', async (t) => {
  t.equal(encodeComment('ping'), ': ping\n')
  t.equal(encodeComment(''), ': \n')
  t.equal(encodeComment('a\r\n\ndata: b\n'), ': a data: b\n')
})

t.test('what is written is read back', async () => {
  const line = fc.string({ unit: 'binary', maxLength: 10 }).map((text) => text.replace(/[\r\n\0]/g, ''))
  const event = fc.record(
    { event: line.filter((text) => text !== ''), data: fc.string({ unit: 'binary', maxLength: 30 }), id: line },
    { requiredKeys: ['data'], noNullPrototype: true },
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 5 }), line, (events, comment) => {
      const text = events.map((each) => encodeComment(comment) + encodeEvent(each)).join('')
      const expected = events.map((each) => ({ ...each, data: each.data.replace(/\r\n?/g, '\n') }))
      deepStrictEqual(createEventReader().push(Buffer.from(text)), expected)
    }),
    { numRuns: 500 },
  )
})
