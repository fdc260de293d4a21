import type { FinishReason, Part } from '@understudy/core'
import { failureOf } from '@understudy/core'
import t from 'tap'
import { createProgress, failureAtEnd, finishesWithoutOutput, isContent } from '../src/progress.js'
import { end, finish, start, text } from './scripted-leg.js'
import { chat } from './stage.js'

const toolRequest = chat({ messages: [{ role: 'user', content: [] }, { role: 'tool', content: [], toolCallId: 'c' }] })

t.test('what is content', async (t) => {
  const table: readonly (readonly [string, Part, boolean])[] = [
    ['text', text('a'), true],
    ['white space', text(' '), true],
    ['a newline', text('\n'), true],
    ['an empty delta', text(''), false],
    ['reasoning', { type: 'reasoning', text: 'hm' }, true],
    ['empty reasoning', { type: 'reasoning', text: '' }, false],
    ['a refusal', { type: 'refusal', text: 'no' }, true],
    ['an empty refusal', { type: 'refusal', text: '' }, false],
    ['a tool name', { type: 'tool-call', index: 0, name: 'f', arguments: '' }, true],
    ['tool arguments', { type: 'tool-call', index: 0, arguments: '{' }, true],
    ['a tool id alone', { type: 'tool-call', index: 0, id: 'c', arguments: '' }, false],
    ['an empty tool name', { type: 'tool-call', index: 0, name: '', arguments: '' }, false],
    ['media', { type: 'media' }, true],
    ['a role opener', start, false],
    ['usage', { type: 'usage', usage: { inputTokens: 1 } }, false],
    ['a finish', finish, false],
    ['the end', end, false],
    ['an error', { type: 'error', failure: failureOf('server_error') }, false],
  ]
  for (const [name, part, expected] of table) t.equal(isContent(part), expected, name)
})

t.test('when a finish without output is an answer', async (t) => {
  const table: readonly (readonly [FinishReason, boolean, boolean])[] = [
    // reason, after a plain turn, after a tool result
    ['stop', false, true],
    ['length', true, true],
    ['tool_calls', false, false],
    ['content_filter', false, false],
    ['error', false, false],
    ['unknown', false, false],
  ]
  for (const [reason, plain, tool] of table) {
    t.equal(finishesWithoutOutput({ type: 'finish', reason }, chat()), plain, `${reason} after a user's turn`)
    t.equal(finishesWithoutOutput({ type: 'finish', reason }, toolRequest), tool, `${reason} after a tool's result`)
  }
  t.equal(finishesWithoutOutput({ type: 'finish', reason: 'stop' }, chat({ messages: [] })), false, 'stop after nothing')
})

function after(parts: readonly Part[], request = chat()): Record<string, unknown> {
  const progress = createProgress(request)
  progress.take(parts)
  const { content, complete, ended, failure } = progress
  return { content, complete, ended, failure: failure?.kind }
}

t.test('one choice is complete with its finish and ended with its terminal marker', async (t) => {
  const state = { content: false, complete: false, ended: false, failure: undefined }
  t.strictSame(after([start]), state)
  t.strictSame(after([start, text('a')]), { ...state, content: true })
  t.strictSame(after([text('a'), finish]), { ...state, content: true, complete: true })
  t.strictSame(after([text('a'), finish, end]), { ...state, content: true, complete: true, ended: true })
  t.strictSame(after([text('a'), end]), { ...state, content: true, complete: true, ended: true })
})

t.test('several choices are complete when each has finished', async (t) => {
  const finishOf = (choice: number): Part => ({ type: 'finish', reason: 'stop', choice })
  const two = chat({ choices: 2 })
  t.match(after([text('a', 0), finishOf(0)], two), { complete: false })
  t.match(after([text('a', 0), finishOf(0), finishOf(0)], two), { complete: false })
  t.match(after([text('a', 0), finishOf(0), text('b', 1), finishOf(1)], two), { complete: true })
  t.match(after([text('a', 0), text('b', 1), finishOf(0)]), { complete: false }, 'a choice that nobody asked for')
  t.match(after([text('a', 0), text('b', 1), finishOf(0), finishOf(1)]), { complete: true })
  t.match(after([text('a', 0), end], two), { complete: true, ended: true }, 'the marker ends them all')
})

t.test('a choice that begins behind the finish of the others takes completeness back until it has finished', async (t) => {
  const finishOf = (choice: number, reason: FinishReason = 'stop'): Part => ({ type: 'finish', reason, choice })
  t.match(after([text('a'), finish, text('b', 1)]), { complete: false })
  t.match(after([text('a'), finish, text('b', 1), finishOf(1)]), { complete: true })
  t.match(after([text('a'), finish, text('b', 1), finishOf(1), text('c', 2)]), { complete: false })
  t.match(after([text('a'), finish, text('b', 1), finishOf(1, 'error')]), { complete: false, failure: 'server_error' })
  t.match(after([text('a'), finish, text('more')]), { complete: true }, 'more of a choice that has finished takes nothing back')
  t.match(after([text('a'), finish, finishOf(1, 'error')]), { complete: true, failure: undefined }, 'it never began')
})

t.test('where the source ends, every choice that has begun has to have finished, and no other', async (t) => {
  const finishOf = (choice: number, reason: FinishReason = 'stop'): Part => ({ type: 'finish', reason, choice })
  const two = chat({ choices: 2 })
  const atEnd = (parts: readonly Part[], request = two): string | undefined => {
    const progress = createProgress(request)
    progress.take(parts)
    return failureAtEnd(progress, 'events')?.kind
  }
  t.equal(atEnd([text('a'), finish]), undefined, 'one choice where two were asked for')
  t.equal(atEnd([text('b', 1), finishOf(1)]), undefined, 'only the second one')
  t.equal(atEnd([text('a'), text('b', 1), finish]), 'truncated')
  t.equal(atEnd([text('a'), finish, text('b', 1)], chat()), 'truncated', 'one more than was asked for')
  t.equal(atEnd([finishOf(0, 'content_filter')]), 'content_filter')
  t.equal(atEnd([finish]), 'empty')
})

t.test('an answer of choices without end is malformed', async (t) => {
  const choices = (count: number): readonly Part[] => Array.from({ length: count }, (_, choice) => text('a', choice))
  const finishes: readonly Part[] = Array.from({ length: 2_000 }, (_, choice) => ({ type: 'finish', reason: 'stop', choice }))
  t.match(after(choices(1_024)), { failure: undefined })
  t.match(after(choices(1_025)), { failure: 'malformed' })
  t.match(after(finishes, chat({ choices: 3_000 })), { failure: 'malformed' })
})

t.test('a finish that says error is a failure that the provider has worked for', async (t) => {
  const progress = createProgress(chat())
  progress.take([text('a'), { type: 'finish', reason: 'error' }])
  t.strictSame(progress.failure, failureOf('server_error', { processed: 'yes' }))
})

t.test('filtered before any output is a failure, behind some output an end', async (t) => {
  const filtered = (choice?: number): Part => ({ type: 'finish', reason: 'content_filter', choice })
  t.match(after([start, filtered()]), { failure: 'content_filter', complete: false })
  t.match(after([text('a'), filtered()]), { failure: undefined, complete: true })
  const two = chat({ choices: 2 })
  t.match(after([filtered(0)], two), { failure: undefined, complete: false }, 'the other choice may answer')
  t.match(after([filtered(0), text('b', 1), { type: 'finish', reason: 'stop', choice: 1 }], two), { failure: undefined, complete: true })
  t.match(after([filtered(0), filtered(1)], two), { failure: 'content_filter' })
})

t.test('an error ends what is not complete and takes nothing from what is', async (t) => {
  const error: Part = { type: 'error', failure: failureOf('overloaded') }
  t.match(after([text('a'), error, finish, end]), { failure: 'overloaded', complete: false, ended: false })
  t.match(after([text('a'), finish, error]), { failure: undefined, complete: true, ended: true })
  t.match(after([text('a'), finish, { type: 'finish', reason: 'error' }]), { failure: undefined, complete: true })
})

t.test('an error without a failure that can be read is a server error', async (t) => {
  for (const failure of [undefined, null, 'rate_limit', {}, { kind: 'nonsense' }, { kind: '__proto__' }]) {
    t.match(after([{ type: 'error', failure } as unknown as Part]), { failure: 'server_error' })
  }
})

t.test('nothing counts behind the end', async (t) => {
  t.match(after([end, text('a')]), { content: false })
  t.match(after([end, { type: 'error', failure: failureOf('overloaded') }]), { failure: undefined })
})

t.test('a part that nobody knows says nothing', async (t) => {
  t.strictSame(after([{ type: 'weather' } as unknown as Part]), { content: false, complete: false, ended: false, failure: undefined })
})

t.test('usage comes in pieces, and a piece that is not known takes nothing away', async (t) => {
  const progress = createProgress(chat())
  progress.take([{ type: 'usage', usage: { inputTokens: 5, outputTokens: 1 } }])
  progress.take([{ type: 'usage', usage: { inputTokens: undefined, outputTokens: 9 } }])
  t.strictSame(progress.usage, { inputTokens: 5, outputTokens: 9 })
})

t.test('what an answer is worth whose source ended', async (t) => {
  const table: readonly (readonly [string, readonly Part[], 'events' | 'json', boolean, string | undefined])[] = [
    ['nothing at all', [], 'events', false, 'empty'],
    ['an opener', [start], 'events', true, 'truncated'],
    ['content without a finish', [text('a')], 'events', true, 'truncated'],
    ['content with a finish', [text('a'), finish], 'events', true, undefined],
    ['a finish without content', [finish], 'events', true, 'empty'],
    ['a marker alone', [end], 'events', true, 'empty'],
    ['a document with content', [text('a')], 'json', true, undefined],
    ['a document without', [start], 'json', true, 'empty'],
    ['an error', [{ type: 'error', failure: failureOf('rate_limit') }], 'json', true, 'rate_limit'],
  ]
  for (const [name, parts, form, begun, expected] of table) {
    const progress = createProgress(chat())
    progress.take(parts)
    t.equal(failureAtEnd(progress, form, begun)?.kind, expected, name)
  }
})
