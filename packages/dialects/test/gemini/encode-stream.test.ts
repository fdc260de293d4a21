import t from 'tap'
import type { Part } from '@understudy/core'
import { anthropic, gemini } from '@understudy/dialects'

const OPTIONS = { id: 'r-1', created: 0, includeUsage: true }

const PARTS: readonly Part[] = [
  { type: 'start', id: 'a', model: 'm' },
  { type: 'reasoning', text: 'hm' },
  { type: 'text', text: 'one ' },
  { type: 'tool-call', index: 1, id: 'c1', name: 'g', arguments: '' },
  { type: 'tool-call', index: 0, id: 'c0', name: 'f', arguments: '{"a"' },
  { type: 'text', text: 'two' },
  { type: 'tool-call', index: 0, arguments: ':1}' },
  { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' },
  { type: 'usage', usage: { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 2 } },
  { type: 'end' },
]

function events(parts: readonly Part[], options: Partial<Parameters<typeof gemini.createStreamEncoder>[0]> = {}): readonly unknown[] {
  const encoder = gemini.createStreamEncoder({ ...OPTIONS, ...options })
  const text = [...parts.map((part) => encoder.push([part]) ?? Buffer.alloc(0)), encoder.end()].map((bytes) => Buffer.from(bytes).toString()).join('')
  return text.split('\n\n').filter((event) => event !== '').map((event) => JSON.parse(event.slice('data: '.length)) as unknown)
}

t.test('text goes out as it comes, calls whole with the end', async (t) => {
  const names = { modelVersion: 'm', responseId: 'a' }
  const said = (part: object) => ({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }], ...names })
  t.strictSame(events(PARTS), [
    said({ text: 'hm', thought: true }),
    said({ text: 'one ' }),
    said({ text: 'two' }),
    {
      candidates: [{
        content: {
          parts: [{ functionCall: { id: 'c0', name: 'f', args: { a: 1 } } }, { functionCall: { id: 'c1', name: 'g', args: {} } }],
          role: 'model',
        },
        finishReason: 'STOP',
        index: 0,
      }],
      usageMetadata: { promptTokenCount: 9, cachedContentTokenCount: 4, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 14 },
      ...names,
    },
  ])
})

t.test('the same in one piece', async (t) => {
  t.strictSame(gemini.encodeResponse(PARTS, { ...OPTIONS, model: 'leg' }), {
    candidates: [{
      content: {
        parts: [
          { text: 'hm', thought: true },
          { text: 'one two' },
          { functionCall: { id: 'c0', name: 'f', args: { a: 1 } } },
          { functionCall: { id: 'c1', name: 'g', args: {} } },
        ],
        role: 'model',
      },
      finishReason: 'STOP',
      index: 0,
    }],
    usageMetadata: { promptTokenCount: 9, cachedContentTokenCount: 4, candidatesTokenCount: 3, thoughtsTokenCount: 2, totalTokenCount: 14 },
    modelVersion: 'leg',
    responseId: 'a',
  })
  t.strictSame(gemini.encodeResponse([], OPTIONS), {
    candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0 }], modelVersion: '', responseId: 'r-1',
  })
})

t.test('a signature goes back to the part that it came with, and to no client of another dialect', async (t) => {
  const parts: readonly Part[] = [
    { type: 'reasoning', text: 'hm', signature: 's0' },
    { type: 'reasoning', text: '', signature: 's1' },
    { type: 'text', text: 'a' },
    { type: 'reasoning', text: '', signature: 's2' },
    { type: 'tool-call', index: 0, name: 'f', arguments: '{}' },
    { type: 'reasoning', text: '', signature: 's3' },
    { type: 'finish', reason: 'stop' },
  ]
  const partsOf = (answer: unknown) => (answer as { candidates: readonly [{ content: { parts: readonly unknown[] } }] }).candidates[0].content.parts
  const all = [
    { text: 'hm', thought: true, thoughtSignature: 's0' },
    { text: 'a', thoughtSignature: 's1' },
    { functionCall: { name: 'f', args: {} }, thoughtSignature: 's2' },
    { text: '', thoughtSignature: 's3' },
  ]
  t.strictSame(partsOf(gemini.encodeResponse(parts, OPTIONS)), all)
  t.strictSame(events(parts).flatMap(partsOf), all)
  const foreign = [{ text: 'hm', thought: true }, { text: 'a' }, { functionCall: { name: 'f', args: {} } }]
  t.strictSame(partsOf(gemini.encodeResponse(parts, { ...OPTIONS, isForeign: true })), foreign)
  t.strictSame(events(parts, { isForeign: true }).flatMap(partsOf), foreign)
  const { content } = anthropic.encodeResponse(parts, { ...OPTIONS, isForeign: true })
  t.match(content, [{ type: 'thinking', thinking: 'hm', signature: '' }, { type: 'text', text: 'a' }, { type: 'tool_use', name: 'f' }])
  const encoder = anthropic.createStreamEncoder({ ...OPTIONS, isForeign: true })
  t.notMatch(Buffer.concat([encoder.push(parts) ?? Buffer.alloc(0), encoder.end()]).toString(), /s[0-3]"/)
})

t.test('each reason to stop is a word of the API', async (t) => {
  const word = (reason: Extract<Part, { type: 'finish' }>['reason'], raw?: string) => {
    const answer = gemini.encodeResponse([{ type: 'finish', reason, raw }], OPTIONS)
    return (answer['candidates'] as readonly [{ finishReason?: string }])[0].finishReason
  }
  t.strictSame([word('stop'), word('length'), word('tool_calls'), word('content_filter'), word('error'), word('unknown')], [
    'STOP', 'MAX_TOKENS', 'STOP', 'SAFETY', 'OTHER', 'OTHER',
  ])
  t.strictSame([word('content_filter', 'SPII'), word('unknown', 'LANGUAGE'), word('unknown', 'odd words'), word('tool_calls', 'STOP')], [
    'SPII', 'LANGUAGE', 'OTHER', 'STOP',
  ])
  t.match(gemini.encodeResponse([{ type: 'refusal', text: 'no' }, { type: 'finish', reason: 'stop', raw: 'stop' }], OPTIONS), {
    candidates: [{ content: { parts: [{ text: 'no' }] }, finishReason: 'SAFETY' }],
  })
})

t.test('several choices are several candidates', async (t) => {
  const parts: readonly Part[] = [
    { type: 'text', text: 'b', choice: 1 },
    { type: 'text', text: 'a' },
    { type: 'finish', reason: 'stop', choice: 1 },
    { type: 'finish', reason: 'length' },
  ]
  t.match(gemini.encodeResponse(parts, OPTIONS)['candidates'], [
    { content: { parts: [{ text: 'a' }] }, finishReason: 'MAX_TOKENS', index: 0 },
    { content: { parts: [{ text: 'b' }] }, finishReason: 'STOP', index: 1 },
  ])
  t.match(events(parts), [
    { candidates: [{ index: 1 }] },
    { candidates: [{ index: 0 }] },
    { candidates: [{ finishReason: 'MAX_TOKENS', index: 0 }, { finishReason: 'STOP', index: 1 }] },
  ])
})

t.test('an error is a status of Google\'s, and a broken stream ends so that its own client sees it', async (t) => {
  const error = { status: 502, type: 'upstream_error', code: 'all_legs_failed', message: 'all failed', failures: [{ a: 1 }], attempts: [], requestId: 'r' }
  const { body } = gemini.encodeFailure(error)
  t.strictSame(body, {
    error: {
      code: 502,
      message: 'all failed',
      status: 'UNAVAILABLE',
      details: [{
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'all_legs_failed', domain: 'understudy', metadata: { type: 'upstream_error' },
      }],
      failures: [{ a: 1 }],
    },
    attempts: [],
    request_id: 'r',
  })
  const status = (code: number) => (gemini.encodeFailure({ ...error, status: code }).body['error'] as { status: string }).status
  t.strictSame([400, 401, 403, 404, 413, 429, 500, 503, 504].map(status), [
    'INVALID_ARGUMENT', 'UNAUTHENTICATED', 'PERMISSION_DENIED', 'NOT_FOUND', 'INVALID_ARGUMENT', 'RESOURCE_EXHAUSTED', 'INTERNAL',
    'UNAVAILABLE', 'DEADLINE_EXCEEDED',
  ])
  const text = JSON.stringify(body)
  t.equal(Buffer.from(gemini.encodeStreamFailure(error)).toString(), `data: ${text}\n\n`)
  t.equal(Buffer.from(gemini.encodeBareFailure?.(error) ?? []).toString(), text, 'which is to be written apart')
  t.equal(gemini.streamTerminator.length, 0)
})
