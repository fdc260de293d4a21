import t from 'tap'
import { remembered } from '../src/remembered.js'

t.test('a short text is looked at once, whatever it gives', async (t) => {
  const asked: string[] = []
  const length = remembered((text) => {
    asked.push(text)
    return text === '' ? undefined : text.length
  })
  t.strictSame(['one', 'three', '', 'one', ''].map(length), [3, 5, undefined, 3, undefined])
  t.strictSame(asked, ['one', 'three', ''])
})

t.test('long texts are not kept, and of short ones no more than a few', async (t) => {
  let asked = 0
  const same = remembered((text) => {
    asked += 1
    return text
  })
  const long = 'x'.repeat(513)
  same(long)
  same(long)
  t.equal(asked, 2)
  for (let text = 0; text < 1000; text++) same(`${text}`)
  same('0')
  t.equal(asked, 1003, 'the first one was forgotten')
})
