import fc from 'fast-check'
import assert from 'node:assert/strict'
import t from 'tap'
import { scanObject } from '../../src/outbound/json-members.js'
import { spliceBody } from '../../src/outbound/splice-body.js'

interface Edits {
  readonly set?: Record<string, unknown>
  readonly defaults?: Record<string, unknown>
  readonly remove?: readonly string[]
}

function jsonMap(values: Record<string, unknown> = {}): Map<string, Buffer> {
  return new Map(Object.entries(values).map(([key, value]) => [key, Buffer.from(JSON.stringify(value))]))
}

function spliced(text: string, { set, defaults, remove = [] }: Edits): string {
  const json = Buffer.from(text)
  const object = scanObject(json)
  if (object === undefined) throw new Error('no object')
  const edits = { set: jsonMap(set), defaults: jsonMap(defaults), remove: new Set(remove) }
  const result = spliceBody(json, object, edits).toString()
  if (json.toString() !== text) throw new Error('the input was written to')
  return result
}

t.test('leaves every byte that it does not change', async (t) => {
  const cases: [string, Edits, string][] = [
    ['{ "a" : 1.0e2 ,"model" :"x", "b":"\\u00e9" }', { set: { model: 'y' } }, '{ "a" : 1.0e2 ,"model" :"y", "b":"\\u00e9" }'],
    ['{"model":"x","model":{"y":1},"mod\\u0065l":3}', { set: { model: 'z' } }, '{"model":"z","model":"z","mod\\u0065l":"z"}'],
    ['{ "a":1 }', { set: { model: 'y' } }, '{ "a":1,"model":"y" }'],
    ['{ }', { set: { model: 'y' } }, '{"model":"y" }'],
    ['{"a":1}', { defaults: { a: 2, b: 3 } }, '{"a":1,"b":3}'],
    ['{"a":null}', { defaults: { a: 2 } }, '{"a":null}'],
    ['{"x":1, "a":2}', { remove: ['x'] }, '{"a":2}'],
    ['{"a":2, "x":1 }', { remove: ['x'] }, '{"a":2 }'],
    ['{"a":2, "x":1, "y":[1], "b":3}', { remove: ['x', 'y'] }, '{"a":2, "b":3}'],
    ['{"x":1, "a":2 , "y":1, "x":3}', { remove: ['x', 'y'] }, '{"a":2}'],
    ['{"x":1, "y":1}', { remove: ['x', 'y'] }, '{}'],
    ['{"x":1}', { remove: ['x'], set: { model: 'm' }, defaults: { model: 'n', x: 2, k: 0 } }, '{"model":"m","k":0}'],
    ['\ufeff{"a":1}', {}, '{"a":1}'],
    ['{"a":1}\n', {}, '{"a":1}\n'],
    ['{"__proto__":{"a":1},"model":1}', { set: { model: 'm' } }, '{"__proto__":{"a":1},"model":"m"}'],
  ]
  for (const [text, edits, expected] of cases) t.equal(spliced(text, edits), expected, text)
})

t.test('leaves bytes that are no UTF-8', async (t) => {
  const json = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('","model":1}')])
  const object = scanObject(json)
  t.ok(object)
  const edits = { set: jsonMap({ model: 2 }), defaults: new Map(), remove: new Set<string>() }
  const result = object === undefined ? undefined : spliceBody(json, object, edits)
  t.strictSame(result, Buffer.concat([json.subarray(0, -2), Buffer.from('2}')]))
})

t.test('means what the same edits on the parsed object mean', async (t) => {
  const key = fc.constantFrom('model', 'models', 'a', 'b', 'temperature', '__proto__', 'x"y', '\u00e9')
  const value = fc.jsonValue({ depthSize: 'xsmall', stringUnit: 'binary' })
  const record = fc.array(fc.tuple(key, value)).map((entries) => new Map(entries))
  fc.assert(
    fc.property(
      record,
      record,
      record,
      fc.uniqueArray(key),
      fc.constantFrom(undefined, 2),
      (body, set, defaults, remove, space) => {
        const removed = new Set(remove)
        for (const name of set.keys()) removed.delete(name)
        const text = JSON.stringify(objectOf(body), undefined, space)
        const object = scanObject(Buffer.from(text))
        if (object === undefined) throw new Error('no object')
        const toBytes = (values: Map<string, unknown>) =>
          new Map([...values].map(([name, each]) => [name, Buffer.from(JSON.stringify(each))]))
        const edits = { set: toBytes(set), defaults: toBytes(defaults), remove: removed }
        const result = JSON.parse(spliceBody(Buffer.from(text), object, edits).toString()) as object

        const expected = new Map([...defaults, ...body].filter(([name]) => !removed.has(name)))
        for (const [name, each] of set) expected.set(name, each)
        assert.deepEqual(sorted(Object.entries(result)), sorted(Object.entries(objectOf(expected))))
      },
    ),
    { numRuns: 1000 },
  )
  t.pass()
})

/** With `__proto__` as a member, through JSON so that numbers are what JSON makes of them. */
function objectOf(entries: Iterable<[string, unknown]>): object {
  return JSON.parse(JSON.stringify(Object.fromEntries(entries))) as object
}

function sorted(entries: [string, unknown][]): [string, unknown][] {
  return entries.sort(([left], [right]) => (left < right ? -1 : 1))
}
