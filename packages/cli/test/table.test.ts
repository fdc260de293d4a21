import t from 'tap'
import { tableLines } from '../src/table.js'
import { plainText, textWidth } from '../src/text-width.js'
import { wrapText } from '../src/wrap-text.js'

const COLUMNS = [{ head: 'LEG' }, { head: 'MS', align: 'right' as const }, { head: 'NOTE' }]

t.test('columns are as wide as their cells, and one that has nothing to say is left out', async (t) => {
  t.strictSame(tableLines(COLUMNS, [['openai/gpt-4o', '12', ''], ['a/b', '1500', '']], { width: undefined, indent: 2 }), [
    '  LEG              MS',
    '  openai/gpt-4o    12',
    '  a/b            1500',
  ])
})

t.test('what does not fit is broken into lines, and nothing is lost', async (t) => {
  const lines = tableLines(COLUMNS, [['openai/gpt-4o-mini', '12', 'answers got much worse today']], { width: 34 })
  t.strictSame(lines, [
    'LEG             MS  NOTE',
    'openai/         12  answers got',
    'gpt-4o-mini         much worse',
    '                    today',
  ])
  const narrow = tableLines(COLUMNS, [['openai/gpt-4o-mini', '12', 'x'.repeat(100)]], { width: 10 })
  t.match(narrow[1], /^openai {2}12 {2}x{6}$/, 'no column gets too narrow to be read')
  t.equal(narrow.join('').replaceAll(/[^x]/g, '').length, 100, 'nor on the narrowest')
})

t.test('colours change no width, and see the whole cell', async (t) => {
  const columns = [{ head: 'A', paint: (line: string, cell: string) => (cell === 'red one' ? `<${line}>` : line) }, { head: 'B' }]
  t.strictSame(tableLines(columns, [['red one', '1'], ['other', '2']], { width: undefined, paintHead: (line) => `*${line}*` }), [
    '*A*        *B*',
    '<red one>  1',
    'other    2',
  ])
})

t.test('widths are counted as a terminal shows them', async (t) => {
  t.strictSame(['abc', '\u6771\u4eac', 'e\u0301', '\u{1f600}', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', ''].map(textWidth), [3, 4, 1, 2, 2, 0])
  t.strictSame(wrapText('\u6771\u4eac\u6771\u4eac', 4), ['\u6771\u4eac', '\u6771\u4eac'])
  t.strictSame(wrapText('', 4), [''])
  t.strictSame(wrapText('ab cd,ef/gh', 5), ['ab', 'cd,', 'ef/gh'])
})

t.test('what a terminal would obey does not get there', async (t) => {
  t.equal(plainText('a\u001b[31mred\u0007\n\tb\u202ec\u009b2J'), 'a?[31mred? b?c?2J')
})
