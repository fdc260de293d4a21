import t from 'tap'

import { createRawTail } from '../src/raw-tail.js'

const textAfter = (...reads: string[]): string => {
  const tail = createRawTail()
  for (const read of reads) tail.push(Buffer.from(read))
  return Buffer.from(tail.bytes()).toString()
}

t.test('the last read is kept whole, and of what came before it the event that has not ended', async (t) => {
  t.equal(textAfter('data: 1\n\ndata: 2\n\n'), 'data: 1\n\ndata: 2\n\n')
  t.equal(textAfter('data: 1\n\n', 'data: 2\n\n'), 'data: 2\n\n')
  t.equal(textAfter('data: 1\n\nda', 'ta', ': 2\n\n'), 'data: 2\n\n')
  t.equal(textAfter('data: 1\r\n\r\nda', 'ta: 2\r\n\r\n'), 'data: 2\r\n\r\n')
  t.equal(textAfter('data: 1\r\rda', 'ta: 2\r\r'), 'data: 2\r\r')
  t.equal(textAfter(), '')
})

t.test('an event that does not end is not kept for ever', async (t) => {
  const piece = 'x'.repeat(600_000)
  t.equal(textAfter(piece, piece, piece, 'y').length, 600_001)
})
