import t from 'tap'
import type { Dialect, Part } from '@understudy/core'
import { createSayableParts } from '@understudy/dialects'

function told(client: Dialect, arrivals: readonly (readonly Part[])[]): readonly Part[] {
  const take = createSayableParts(client)
  return arrivals.flatMap((parts) => take({ parts, events: 1 }).parts)
}

const END: Part = { type: 'end' }
const piece = (text: string, more: Partial<Part> = {}): Part => ({ type: 'tool-call', index: 0, arguments: text, ...more } as Part)

t.test('what a client cannot be told is no output of the answer', async (t) => {
  const second: readonly Part[] = [{ type: 'text', text: 'b', choice: 1 }, { type: 'finish', reason: 'stop', choice: 1 }, END]
  for (const client of ['anthropic', 'responses'] as const) t.strictSame(told(client, [second]), [END], client)
  t.strictSame(told('openai', [second]), second)
  for (const client of ['openai', 'responses', 'anthropic', 'gemini'] as const) t.strictSame(told(client, [[{ type: 'media' }, END]]), [END], client)
  const whole: readonly Part[] = [{ type: 'start' }, { type: 'text', text: 'a' }, piece('{}', { name: 'f' }), { type: 'finish', reason: 'stop' }, END]
  t.strictSame(told('anthropic', [whole]), whole)
})

t.test('a call waits for its name, and without one the answer is malformed', async (t) => {
  t.strictSame(told('anthropic', [[piece('{', { id: 'a' })], [piece('"x"', { name: '' })], [piece(':', { name: 'f' })], [piece('1}'), END]]), [
    piece('{"x":', { id: 'a', name: 'f' }), piece('1}'), END,
  ])
  for (const last of [END, { type: 'finish', reason: 'tool_calls' }] as const) {
    t.match(told('openai', [[{ type: 'text', text: 'a' }, piece('{}')], [last, END]]), [
      { type: 'text' }, { type: 'error', failure: { kind: 'malformed', code: 'nameless_call' } },
    ])
  }
  t.match(told('openai', [[piece('x'.repeat(2 ** 20 + 1))]]), [{ type: 'error' }], 'and it does not wait for ever')
})
