import t from 'tap'
import { openai } from '@understudy/dialects'

const JSON_TEXT = '{"x":"\u20ac"}'

const STREAMS: readonly (readonly [string, string, string])[] = [
  ['the first event', 'data: {"id":1}\n\ndata: {"id":2}\n\n', `data: {"u":${JSON_TEXT},"id":1}\n\ndata: {"id":2}\n\n`],
  ['behind a comment', ': data: {\n\nid: 1\ndata:{"id":1}\r\n\r\n', `: data: {\n\nid: 1\ndata:{"u":${JSON_TEXT},"id":1}\r\n\r\n`],
  ['over several lines', 'data: {\ndata: "id":1}\n\n', `data: {"u":${JSON_TEXT},\ndata: "id":1}\n\n`],
  ['an empty object', 'data: { }\n\n', `data: {"u":${JSON_TEXT} }\n\n`],
  ['beside text of more bytes than characters', ': \u20ac\n\ndata: {"id":"\u20ac"}\n\n', `: \u20ac\n\ndata: {"u":${JSON_TEXT},"id":"\u20ac"}\n\n`],
  ['no object', 'data: [DONE]\n\n', 'data: [DONE]\n\n'],
  ['nothing', '', ''],
]

const BODIES: readonly (readonly [string, string, string])[] = [
  ['an object', '{"id":"\u20ac"}', `{"u":${JSON_TEXT},"id":"\u20ac"}`],
  ['a pretty-printed object', ' {\n  "id": 1\n}\n', ` {"u":${JSON_TEXT},\n  "id": 1\n}\n`],
  ['behind a mark', '\ufeff{"id":1}', `\ufeff{"u":${JSON_TEXT},"id":1}`],
  ['an empty object', '{ }', `{"u":${JSON_TEXT} }`],
  ['a list', '[{}]', '[{}]'],
  ['nothing', '', ''],
]

t.test('a field is put in first place and nothing else moves', async (t) => {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8')
  for (const [name, before, after] of STREAMS) t.equal(text(openai.withStreamField(Buffer.from(before), 'u', JSON_TEXT)), after, `stream: ${name}`)
  for (const [name, before, after] of BODIES) t.equal(text(openai.withResponseField(Buffer.from(before), 'u', JSON_TEXT)), after, `body: ${name}`)
})
