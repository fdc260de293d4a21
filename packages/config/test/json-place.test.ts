import t from 'tap'
import { whereNoJson } from '@understudy/config'

function placeIn(text: string): string {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return 'it is JSON'
  } catch (error) {
    return whereNoJson(text, error)
  }
}

t.test('the place where a text stops being JSON is said, whatever the engine says of it', async (t) => {
  for (const [text, line, column] of [
    ['{"a":1,}', 1, 8],
    ['{\n  "chain": [\n    "openai/gpt-4o",\n  ]\n}', 4, 3],
    ['{\r\n  "a": tru\r\n}', 2, 11],
    ['{\n  "a": nil\n}', 2, 9],
    ['{"a":"\\"},","b":[true,false,null,-1.5e3],"c":<}', 1, 46],
    ['[{"a":1},]', 1, 10],
    ['{"a":}', 1, 6],
    ['[,1]', 1, 2],
    ["{'a':1}", 1, 2],
    ['\n<html>', 2, 1],
    ['NaN', 1, 1],
    ['[object Object]', 1, 2],
    ['', 1, 1],
    ['{"a":[\n', 2, 1],
    ['{"a":"b', 1, 8],
    ['[1]]', 1, 4],
    ['\uFEFF[1,]', 1, 4],
    ['at position 5', 1, 1],
  ] as const) t.equal(placeIn(text), ` (line ${line}, column ${column})`, text)
})

t.test('of what another engine says the position counts, and of what nobody knows nothing is said', async (t) => {
  const text = '{\n "a": x\n}'
  t.equal(whereNoJson(text, new SyntaxError('Unexpected thing in JSON at position 8 (line 2 column 7)')), ' (line 2, column 7)')
  t.equal(whereNoJson(text, new SyntaxError('JSON Parse error')), '')
  t.equal(whereNoJson(text, new SyntaxError('Bad text in JSON at position 99')), '')
  t.equal(whereNoJson(text, new RangeError('at position 1')), '')
})

t.test('a text of any length holds nobody up', async (t) => {
  const placeIn = (items: number) => {
    const text = `[${'1,'.repeat(items)}]`
    try {
      JSON.parse(text)
    } catch (error) {
      return whereNoJson(text, error)
    }
    return undefined
  }
  t.equal(placeIn(131_000), ' (line 1, column 262002)')
  t.equal(placeIn(132_000), '')
})
