import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { createPlainLook, type PlainLook } from '../src/plain-look.js'

/** Whether all of it is one plain frame. */
const isPlain = (look: PlainLook, read: string) => look.endOf(Buffer.from(read, 'latin1'), 0) === read.length

const frame = (content: string) => `data: {"a":1,"content":"${content}","b":2}\n\n`

interface Case {
  readonly name: string
  readonly learnt?: string
  readonly later: string
  readonly matches: boolean
}

const CASES: readonly Case[] = [
  { name: 'another string', later: frame('other'), matches: true },
  { name: 'an empty string', later: frame(''), matches: true },
  { name: 'every escape', later: frame('\\"\\\\\\/\\b\\f\\n\\r\\t\\u00fF\\ud83d'), matches: true },
  { name: 'bytes over 0x7f', later: frame('\xe2\x82\xac\xff'), matches: true },
  { name: 'text that looks like structure', later: frame('\\",\\"finish_reason\\":\\"stop'), matches: true },
  { name: 'a string that ends early', later: frame('x","finish_reason":"stop'), matches: false },
  { name: 'an escape that is none', later: frame('\\x'), matches: false },
  { name: 'an escape with a digit that is none', later: frame('\\u00g0'), matches: false },
  { name: 'an escape that is cut', later: frame('\\u00'), matches: false },
  { name: 'a backslash before the closing quote', later: frame('x\\'), matches: false },
  { name: 'a control character', later: frame('\t'), matches: false },
  { name: 'a line feed', later: frame('\n'), matches: false },
  { name: 'another member', later: frame('x').replace('"b":2', '"b":3'), matches: false },
  { name: 'one member more', later: frame('x').replace('"b":2', '"b":2,"c":3'), matches: false },
  { name: 'another line end', later: frame('x').replaceAll('\n', '\r\n'), matches: false },
  { name: 'a line more', later: `${frame('x').slice(0, -1)}: c\n\n`, matches: false },
  { name: 'no string', later: 'data: {"a":1,"content":null,"b":2}\n\n', matches: false },
  { name: 'nothing', later: '', matches: false },
  { name: 'two strings', learnt: 'data: {"content":"a","pad":"b"}\n\n', later: 'data: {"content":"c","pad":""}\n\n', matches: true },
  { name: 'spaces around the colon', learnt: 'data: {"content" : "a"}\n\n', later: 'data: {"content" : "b"}\n\n', matches: true },
  { name: 'the key as a value', learnt: 'data: {"a":"content","c":"a"}\n\n', later: 'data: {"a":"content","c":"b"}\n\n', matches: false },
  { name: 'the key at the end of another', learnt: 'data: {"x\\"content":"a"}\n\n', later: 'data: {"x\\"content":"b"}\n\n', matches: false },
  { name: 'a comment in the frame', learnt: `: c\n${frame('a')}`, later: `: c\n${frame('b')}`, matches: false },
  { name: 'a second line in the frame', learnt: 'data: {"content":"a"\ndata: }\n\n', later: 'data: {"content":"b"\ndata: }\n\n', matches: false },
  { name: 'more strings than are looked at', learnt: `data: {${'"content":"a",'.repeat(5)}}\n\n`, later: `data: {${'"content":"b",'.repeat(5)}}\n\n`, matches: false },
]

t.test('recognises exactly what differs in its strings only', async (t) => {
  for (const { name, learnt = frame('first'), later, matches } of CASES) {
    const look = createPlainLook(['content', 'pad'])
    look.learn(learnt)
    const read = Buffer.from(`before${later}behind`, 'latin1')
    t.equal(look.endOf(read, 6), matches ? 6 + later.length : -1, name)
  }
})

t.test('recognises whole numbers that differ, as long as they are numbers', async (t) => {
  const counted = (number: string, content = 'a') => `data: {"n":${number},"content":"${content}"}\n\n`
  const table: readonly (readonly [later: string, matches: boolean])[] = [
    ['6', true], ['0', true], ['10', true], ['123456789012345', true], ['1234567890123456', false], ['007', false], ['-1', false],
    ['1.5', false], ['1e3', false], ['"7"', false], ['null', false], ['', false], ['6,"finish":1', false],
  ]
  for (const [later, matches] of table) {
    const look = createPlainLook(['content'], ['n'])
    look.learn(counted('5'))
    t.equal(isPlain(look, counted(later, 'b')), matches, later)
  }
  const behind = createPlainLook(['content'], ['n'])
  behind.learn('data: {"content":"a \\"n\\":1","n":9}\n\n')
  const later = 'data: {"content":"\\"n\\":2","n":10}\n\n'
  t.ok(isPlain(behind, later), 'a number in a text is text')
  const fraction = createPlainLook(['content'], ['n'])
  fraction.learn('data: {"n":5.5,"content":"a"}\n\n')
  t.ok(isPlain(fraction, 'data: {"n":6.5,"content":"b"}\n\n'), 'what follows the digits is compared')
  t.notOk(isPlain(fraction, 'data: {"n":6.4,"content":"b"}\n\n'))
})

t.test('recognises nothing before it has learnt', async (t) => {
  t.notOk(isPlain(createPlainLook(['content']), frame('a')))
})

t.test('stops learning from a stream in which no pattern ever fits', async (t) => {
  const look = createPlainLook(['content'])
  for (let index = 0; index < 20; index++) look.learn(frame('a').replace('2', `${index}`))
  const last = frame('b').replace('2', '19')
  t.notOk(isPlain(look, last))
})

t.test('keeps nothing of the read that a pattern came from', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const megabyte = Buffer.alloc(1024 * 1024, 'x').toString('latin1')
  const learnt = () => {
    const look = createPlainLook(['content'])
    const read = `${frame('first')}${megabyte}${frame('last')}`
    look.learn(read.slice(0, frame('first').length))
    return look
  }
  learnt()
  collect()
  const before = process.memoryUsage().heapUsed
  const looks = Array.from({ length: 32 }, learnt)
  collect()
  t.ok(process.memoryUsage().heapUsed - before < 8 * 1024 * 1024)
  t.ok(looks.every((look) => isPlain(look, frame('later'))))
})
