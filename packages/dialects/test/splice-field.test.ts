import fc from 'fast-check'
import { deepStrictEqual } from 'node:assert'
import t from 'tap'
import { openai } from '@understudy/dialects'

const JSON_TEXT = '{"x":"\u20ac"}'

const STREAMS: readonly (readonly [string, string, string])[] = [
  ['the first event', 'data: {"id":1}\n\ndata: {"id":2}\n\n', `data: {"u":${JSON_TEXT},"id":1}\n\ndata: {"id":2}\n\n`],
  ['behind a comment', ': data: {\n\nid: 1\ndata:{"id":1}\r\n\r\n', `: data: {\n\nid: 1\ndata:{"u":${JSON_TEXT},"id":1}\r\n\r\n`],
  ['over several lines', 'data: {\ndata: "id":1}\n\n', `data: {"u":${JSON_TEXT},\ndata: "id":1}\n\n`],
  ['an empty object', 'data: { }\n\n', `data: {"u":${JSON_TEXT} }\n\n`],
  ['beside text of more bytes than characters', ': \u20ac\n\ndata: {"id":"\u20ac"}\n\n', `: \u20ac\n\ndata: {"u":${JSON_TEXT},"id":"\u20ac"}\n\n`],
  ['an inner report', 'data: {"id":1,"u":{"x":[1,"}"]},"b":2}\n\ndata: {"u":3}\n\n', `data: {"u":${JSON_TEXT},"id":1,"b":2}\n\ndata: {"u":3}\n\n`],
  ['an inner report alone', 'data: {"u":1}\n\n', `data: {"u":${JSON_TEXT}}\n\n`],
  ['an inner report in first place, over several lines', 'data: {\ndata: "u":{\ndata: "a":1},\ndata: "id":1}\n\n', `data: {"u":${JSON_TEXT},"id":1}\n\n`],
  ['an inner report in last place', 'data: {"id":"a\\"b", "u" : "x,y" }\r\n\r\n', `data: {"u":${JSON_TEXT},"id":"a\\"b"}\r\n\r\n`],
  ['the key within', 'data: {"id":{"u":1},"x":"\\"u\\":","c":["u"]}\n\n', `data: {"u":${JSON_TEXT},"id":{"u":1},"x":"\\"u\\":","c":["u"]}\n\n`],
  ['an event that is cut', 'data: {"u":1\n\ndata: {"id":2}\n\n', `data: {"u":${JSON_TEXT},"u":1\n\ndata: {"id":2}\n\n`],
  ['no object', 'data: [DONE]\n\n', 'data: [DONE]\n\n'],
  ['nothing', '', ''],
]

const BODIES: readonly (readonly [string, string, string])[] = [
  ['an object', '{"id":"\u20ac"}', `{"u":${JSON_TEXT},"id":"\u20ac"}`],
  ['a pretty-printed object', ' {\n  "id": 1\n}\n', ` {"u":${JSON_TEXT},\n  "id": 1\n}\n`],
  ['behind a mark', '\ufeff{"id":1}', `\ufeff{"u":${JSON_TEXT},"id":1}`],
  ['an empty object', '{ }', `{"u":${JSON_TEXT} }`],
  ['an inner report', '{"id":"\u20ac","u":{"x":{}},"b":[1,{"u":2}]}', `{"u":${JSON_TEXT},"id":"\u20ac","b":[1,{"u":2}]}`],
  ['an inner report, twice', '{"u":1,"id":1,"u":2}', `{"u":${JSON_TEXT},"id":1}`],
  ['an inner report in another spelling', '{"\\u0075":1,"id":"\\u00e9"}', `{"u":${JSON_TEXT},"id":"\\u00e9"}`],
  ['an inner report, pretty-printed', '{\n  "u": {\n    "a": 1\n  },\n  "id": 1\n}\n', `{"u":${JSON_TEXT},"id": 1\n}\n`],
  ['a body that is cut', '{"u":"a', `{"u":${JSON_TEXT},"u":"a`],
  ['a list', '[{}]', '[{}]'],
  ['nothing', '', ''],
]

t.test('whatever stands there, a parser reads our field, once, and the others as they were', async () => {
  const others = fc.dictionary(fc.constantFrom('a', 'u\n', '\u20ac', '__proto__', 'U', ''), fc.jsonValue(), { noNullPrototype: true })
  fc.assert(
    fc.property(others, fc.option(fc.jsonValue()), fc.constantFrom(0, 2), fc.boolean(), (object, inner, indent, isLast) => {
      const whole = inner === null ? object : isLast ? { ...object, u: inner } : { u: inner, ...object }
      const text = JSON.stringify(whole, undefined, indent)
      const read = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
      const body = read(openai.withResponseField(Buffer.from(text), 'u', JSON_TEXT))
      const events = `: c\n\ndata: ${text.replaceAll('\n', '\ndata: ')}\n\n`
      const stream = read(openai.withStreamField(Buffer.from(events), 'u', JSON_TEXT))
      const data = stream.slice(5).trimEnd().split('\n').map((line) => line.replace('data: ', '')).join('\n')
      for (const told of [body, data]) {
        deepStrictEqual(JSON.parse(told), { ...JSON.parse(JSON.stringify(object)), u: { x: '\u20ac' } })
        if (told.indexOf(JSON_TEXT) !== told.lastIndexOf(JSON_TEXT) && !text.includes(JSON_TEXT)) throw new Error('told twice')
      }
    }),
    { numRuns: 1_000 },
  )
})

t.test('a field is put in first place and nothing else moves', async (t) => {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
  for (const [name, before, after] of STREAMS) t.equal(text(openai.withStreamField(Buffer.from(before), 'u', JSON_TEXT)), after, `stream: ${name}`)
  for (const [name, before, after] of BODIES) t.equal(text(openai.withResponseField(Buffer.from(before), 'u', JSON_TEXT)), after, `body: ${name}`)
})
