import fc from 'fast-check'
import t from 'tap'
import { createJsonExtent } from '../../src/anthropic/json-extent.js'

t.test('an object is over at its last bracket and not before, however it is cut', async () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4, noNullPrototype: true })
  fc.assert(fc.property(object, fc.nat(), fc.boolean(), (value, cut, spaced) => {
    const text = JSON.stringify(value, null, spaced ? 1 : 0)
    const middle = cut % text.length
    const extent = createJsonExtent()
    extent.take(text.slice(0, middle))
    const early = extent.isOver
    extent.take(text.slice(middle))
    return !early && extent.isOver
  }), { numRuns: 500 })
})

t.test('what is no object is never over, and an extra bracket is', async (t) => {
  const over = (text: string) => {
    const extent = createJsonExtent()
    extent.take(text)
    return extent.isOver
  }
  t.strictSame(['', ' ', '1', '"x}"', '{"a":"\\"}"', '{', '}', '{}{'].map(over), [false, false, false, false, false, false, true, true])
})
