import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { scanObject } from '../../src/outbound/json-members.js'

function membersOf(text: string): { key: string; value: string }[] | undefined {
  const json = Buffer.from(text)
  return scanObject(json)?.members.map(({ key, valueStart, end }) => ({
    key,
    value: json.toString('utf8', valueStart, end),
  }))
}

t.test('finds the members of an object, whatever stands between them', async (t) => {
  const text = ' \r\n{ "a" :\t1 ,"b":"x" , "c":{"d":[1,{"e":"}"}]},\n"f":null}\n'
  t.strictSame(membersOf(text), [
    { key: 'a', value: '1' },
    { key: 'b', value: '"x"' },
    { key: 'c', value: '{"d":[1,{"e":"}"}]}' },
    { key: 'f', value: 'null' },
  ])
  t.strictSame(membersOf('{}'), [])
  t.strictSame(membersOf('{ \n }'), [])
  t.strictSame(membersOf('\ufeff{"a":1}'), [{ key: 'a', value: '1' }])
})

t.test('reads a key that is written with escapes, and every one of its repetitions', async (t) => {
  t.strictSame(membersOf('{"mod\\u0065l":1,"model":2,"m\\"\\\\":3}'), [
    { key: 'model', value: '1' },
    { key: 'model', value: '2' },
    { key: 'm"\\', value: '3' },
  ])
})

t.test('is not misled by quotes and backslashes in strings, short or long', async (t) => {
  for (const length of [0, 1, 60, 61, 62, 63, 64, 65, 66, 127, 128, 129, 200]) {
    for (const tail of ['', '\\', '\\\\', '"', '\\"', '\\\\"', '","model":"x']) {
      const value = 'x'.repeat(length) + tail
      const text = JSON.stringify({ a: value, [value]: [value], model: 'm' })
      t.strictSame(membersOf(text)?.map((member) => JSON.parse(member.value) as unknown), [value, [value], 'm'], text)
    }
  }
})

t.test('is undefined for what is no object', async (t) => {
  for (const text of ['', '[]', '"a"', 'null', '{', '{"a"', '{"a":1', '{"a":1,', '{"a" 1}', '{a:1}', '{"a":"x']) {
    t.equal(membersOf(text), undefined, text)
  }
})

t.test('agrees with JSON.parse on any object, however it is written', async (t) => {
  const value = fc.jsonValue({ depthSize: 'small', stringUnit: 'binary' })
  const object = fc.dictionary(fc.string({ unit: 'binary' }), value)
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, '\t', '\r\n'), (input, space) => {
      const text = JSON.stringify(input, undefined, space)
      const expected = Object.entries(JSON.parse(text) as object)
      const found = membersOf(text)?.map((member) => [member.key, JSON.parse(member.value) as unknown])
      assert.deepEqual(found, expected)
    }),
    { numRuns: 1000 },
  )
  t.pass()
})
