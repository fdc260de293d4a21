import type { Arrival, ChatRequest, CommitPoint, LegAnswer, Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import t from 'tap'
import { createCommitGate } from '../src/commit.js'
import { createProgress } from '../src/progress.js'
import { arrival, end, finish, ping, start, text } from './scripted-leg.js'
import { chat, contentOf } from './stage.js'

const error = (): Part => ({ type: 'error', failure: failureOf('overloaded', { status: 529 }) })
/** A prompt-filter chunk or a lifecycle event: well-formed, without a part. */
const silent: Arrival = { parts: [], events: 1 }
const skipped: Arrival = { parts: [], events: 1, skipped: 1 }

interface Gated {
  readonly form?: LegAnswer['form']
  readonly request?: Partial<ChatRequest>
}

/** What the gate says to each arrival until it says something else than hold; then what is held. */
function gate(commit: CommitPoint, arrivals: readonly (Arrival | 'end')[], { form = 'events', request }: Gated = {}): string[] {
  const progress = createProgress(chat(request))
  const made = createCommitGate(commit, form, progress)
  const said: string[] = []
  for (const item of arrivals) {
    const verdict = item === 'end' ? made.end() : made.take(item)
    said.push(typeof verdict === 'string' ? verdict : verdict.kind)
    if (verdict !== 'hold') break
  }
  return [...said, `[${made.held.map(contentOf).join('|')}]`]
}

t.test('first_content: openers, empty deltas, usage, filter results, pings and junk are held', async (t) => {
  const usage: Part = { type: 'usage', usage: { inputTokens: 1 } }
  t.strictSame(
    gate('first_content', [arrival(start), arrival(text('')), arrival(usage), silent, ping, skipped, arrival(text('a'))]),
    ['hold', 'hold', 'hold', 'hold', 'hold', 'hold', 'commit', '[start||usage|||a]'],
  )
})

t.test('first_content: reasoning, refusal, tool calls, media and white space commit', async (t) => {
  const parts: readonly Part[] = [
    { type: 'reasoning', text: 'hm' },
    { type: 'refusal', text: 'no' },
    { type: 'tool-call', index: 0, name: 'f', arguments: '' },
    { type: 'tool-call', index: 0, arguments: '{' },
    { type: 'media' },
    text(' '),
  ]
  for (const part of parts) t.equal(gate('first_content', [arrival(part)])[0], 'commit', part.type)
})

t.test('first_content: a finish without output commits where that is an answer, and is empty elsewhere', async (t) => {
  const length: Part = { type: 'finish', reason: 'length' }
  const afterTool = { request: { messages: [{ role: 'tool', content: [] }] } } as const
  t.strictSame(gate('first_content', [arrival(length)]), ['commit', '[finish]'])
  t.strictSame(gate('first_content', [arrival(finish)], afterTool), ['commit', '[finish]'])
  t.strictSame(gate('first_content', [arrival(start), arrival(finish), arrival(end)]), ['hold', 'hold', 'empty', '[start|finish|end]'])
  t.strictSame(gate('first_content', [arrival(finish), 'end']), ['hold', 'empty', '[finish]'])
})

t.test('first_content: an error before content is the failure of the leg, with its status', async (t) => {
  t.strictSame(gate('first_content', [arrival(start), arrival(error())]), ['hold', 'overloaded', '[start|error]'])
  const progress = createProgress(chat())
  t.strictSame(createCommitGate('first_content', 'events', progress).take(arrival(error())), failureOf('overloaded', { status: 529 }))
})

t.test('first_content: an error behind content in one read comes after the commit', async (t) => {
  t.strictSame(gate('first_content', [arrival(text('a'), error())]), ['commit', '[a,error]'])
})

t.test('first_content: the source ends before content', async (t) => {
  t.strictSame(gate('first_content', ['end']), ['empty', '[]'])
  t.strictSame(gate('first_content', [ping, 'end']), ['hold', 'empty', '[]'])
  t.strictSame(gate('first_content', [arrival(start), 'end']), ['hold', 'truncated', '[start]'])
  t.strictSame(gate('first_content', [arrival(start), 'end'], { form: 'json' }), ['hold', 'empty', '[start]'])
})

t.test('first_chunk: the first well-formed event that is no error commits', async (t) => {
  const table: readonly (readonly [string, Arrival, string])[] = [
    ['an opener', arrival(start), 'commit'],
    ['a filter result', silent, 'commit'],
    ['usage', arrival({ type: 'usage', usage: {} }), 'commit'],
    ['a ping', ping, 'hold'],
    ['junk', skipped, 'hold'],
    ['junk, then a good event without parts', { parts: [], events: 2, skipped: 1 }, 'commit'],
    ['an error', arrival(error()), 'overloaded'],
    ['junk, then an error', { parts: [error()], events: 2, skipped: 1 }, 'overloaded'],
    ['a good event, then an error', arrival(start, error()), 'commit'],
    ['a finish that says error', arrival({ type: 'finish', reason: 'error' }), 'server_error'],
    ['a finish that says filtered', arrival({ type: 'finish', reason: 'content_filter' }), 'content_filter'],
    ['a finish', arrival(finish), 'commit'],
    ['the marker alone', arrival(end), 'empty'],
  ]
  for (const [name, item, expected] of table) t.equal(gate('first_chunk', [item])[0], expected, name)
})

t.test('complete: everything is held until the answer is whole', async (t) => {
  t.strictSame(gate('complete', [arrival(start), arrival(text('a')), arrival(finish), arrival(end)]), [
    'hold',
    'hold',
    'hold',
    'commit',
    '[start|a|finish|end]',
  ])
  t.strictSame(gate('complete', [arrival(text('a')), arrival(finish), 'end']), ['hold', 'hold', 'commit', '[a|finish]'])
  t.strictSame(gate('complete', [arrival(text('a')), 'end']), ['hold', 'truncated', '[a]'])
  t.strictSame(gate('complete', [arrival(text('a')), arrival(error())]), ['hold', 'overloaded', '[a|error]'])
  t.strictSame(gate('complete', [arrival(text('a')), 'end'], { form: 'json' }), ['hold', 'commit', '[a]'])
  t.strictSame(gate('complete', [arrival(finish, end)]), ['empty', '[finish,end]'])
})

const times = (count: number, item: Arrival): Arrival[] => Array.from({ length: count }, () => item)
const last = (said: string[]): string | undefined => said.at(-2)

t.test('the prelude is bounded by 256 events', async (t) => {
  t.equal(last(gate('first_content', times(256, silent))), 'hold')
  t.equal(last(gate('first_content', times(257, silent))), 'malformed')
  t.equal(last(gate('first_content', [{ parts: [], events: 257 }])), 'malformed')
  t.equal(last(gate('first_content', [...times(256, silent), arrival(text('a'))])), 'commit', 'content comes in time')
  t.equal(last(gate('first_chunk', times(257, skipped))), 'malformed')
  t.equal(last(gate('complete', times(2_000, silent))), 'hold', 'a collected answer has many events')
})

t.test('the prelude is bounded the same where it came in one read with what commits', async (t) => {
  const read = (leading: number | undefined, ...parts: readonly Part[]): Arrival => ({ parts, events: (leading ?? 0) + 1, leading })
  t.strictSame([256, 257].map((leading) => last(gate('first_content', [read(leading, text('a'))]))), ['commit', 'malformed'])
  t.strictSame([156, 157].map((leading) => last(gate('first_content', [...times(100, silent), read(leading, text('a'))]))), ['commit', 'malformed'])
  t.equal(last(gate('first_content', [read(257, error())])), 'malformed')
  t.equal(last(gate('first_content', [...times(100, silent), read(undefined, text('a'))])), 'commit')
  t.equal(last(gate('first_chunk', [read(257, text('a'))])), 'commit', 'which the first of them did')
  t.equal(last(gate('complete', [read(257, text('a'), finish, end)])), 'commit')
})

t.test('pings fill nothing, and parts without an event count as one', async (t) => {
  t.strictSame(gate('first_content', times(1_000, ping)).slice(-2), ['hold', '[]'])
  t.equal(last(gate('first_content', times(257, { parts: [start], events: 0 }))), 'malformed')
})

t.test('the prelude is bounded by one MiB, a collected answer by 64', async (t) => {
  const bytes = (size: number): Arrival => ({ parts: [], events: 1, bytes: new Uint8Array(size) })
  const MIB = 1024 * 1024
  const beside = 128
  t.equal(last(gate('first_content', [bytes(MIB - beside)])), 'hold')
  t.equal(last(gate('first_content', [bytes(MIB)])), 'malformed')
  t.equal(last(gate('first_content', [bytes(MIB - beside), bytes(1)])), 'malformed')
  t.equal(last(gate('complete', [bytes(64 * MIB - beside)])), 'hold')
  t.equal(last(gate('complete', [bytes(64 * MIB)])), 'malformed')
})

t.test('a collected answer is bounded however little its pieces say', async (t) => {
  const usage: Part = { type: 'usage', usage: {} }
  for (const item of [arrival(text('')), arrival(usage), silent, skipped, arrival(text('a'), text(''), usage, start)]) {
    const said = gate('complete', times(300_000, item))
    t.equal(last(said), 'malformed')
    t.ok(said.length < 262_200)
  }
  const many = { parts: Array.from({ length: 600_000 }, () => text('')), events: 1 }
  t.equal(last(gate('complete', [many, many])), 'malformed')
})

t.test('what is too large is said', async (t) => {
  const codeOf = (commit: CommitPoint): unknown => createCommitGate(commit, 'none', createProgress(chat())).take({ parts: [], events: 300_000 })
  t.match(codeOf('first_content'), { kind: 'malformed', code: 'prelude_too_large' })
  t.match(codeOf('complete'), { kind: 'malformed', code: 'answer_too_large' })
})

t.test('without bytes the text is what is counted', async (t) => {
  const half = 'x'.repeat(40 * 1024 * 1024)
  const parts: readonly Part[] = [
    text(half),
    { type: 'reasoning', text: half },
    { type: 'refusal', text: half },
    { type: 'tool-call', index: 0, arguments: half },
    { type: 'tool-call', index: 0, name: half, arguments: '' },
  ]
  for (const part of parts) t.strictSame(gate('complete', times(2, arrival(part))).slice(0, 2), ['hold', 'malformed'], part.type)
})
