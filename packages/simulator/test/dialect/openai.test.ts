import t from 'tap'
import OpenAI from 'openai'
import { openai } from '../../src/dialect/openai.js'
import { startSimulator, type Answer } from '../../src/index.js'

const context = { model: 'm', number: 2, wantsUsage: false }
const messages = [{ role: 'user' as const, content: 'hi' }]

function deltas(answer: Answer): unknown[] {
  return openai.encodeStream(answer, context, {}).slice(0, -1).map((event) => {
    const { choices: [{ delta, finish_reason: finish }] } = JSON.parse(event.slice(6))
    return finish ?? delta
  })
}

t.test('streams reasoning, then text in its pieces, then tool calls piece by piece', (t) => {
  t.strictSame(deltas({
    reasoning: ['hm', '...'],
    text: ['a b', ' c'],
    toolCalls: [{ name: 'f', arguments: { x: 1 } }, { id: 'c2', name: 'g', arguments: '{}', pieces: ['{', '}'] }],
  }), [
    { role: 'assistant', content: '', refusal: null },
    { reasoning_content: 'hm' },
    { reasoning_content: '...' },
    { content: 'a b' },
    { content: ' c' },
    { tool_calls: [{ index: 0, id: 'call_0', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] },
    { tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'g', arguments: '' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '{' } }] },
    { tool_calls: [{ index: 1, function: { arguments: '}' } }] },
    'tool_calls',
  ])
  t.end()
})

t.test('streams a string word by word and loses no white space', (t) => {
  t.strictSame(deltas({ text: ' two  words\n' }).slice(1, -1),
    [{ content: ' ' }, { content: 'two  ' }, { content: 'words\n' }])
  t.strictSame(deltas({ text: '' }).slice(1), ['stop'])
  t.strictSame(deltas({ refusal: 'no', finishReason: 'content_filter' }).slice(1),
    [{ refusal: 'no' }, 'content_filter'])
  t.end()
})

t.test('says the same in one piece', (t) => {
  const answer: Answer = { reasoning: ['hm'], text: ['a', 'b'], toolCalls: [{ name: 'f', arguments: '{}' }],
    model: 'other' }
  t.match(openai.encodeResponse(answer, context), {
    id: 'chatcmpl-m-2',
    model: 'other',
    choices: [{
      message: { content: 'ab', reasoning_content: 'hm', tool_calls: [{ id: 'call_0',
        function: { name: 'f', arguments: '{}' } }] },
      finish_reason: 'tool_calls',
    }],
    usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
  })
  t.match(openai.encodeResponse({ refusal: 'no' }, context), { choices: [{ message: { content: null,
    refusal: 'no' } }] })
  t.end()
})

t.test('a stream carries usage if the request asks for it, or always, or never', (t) => {
  const usageOf = (answer: Answer, wantsUsage: boolean) => openai
    .encodeStream({ text: 'x', ...answer }, { ...context, wantsUsage }, {})
    .flatMap((event) => (event.includes('"choices":[]') ? [JSON.parse(event.slice(6)).usage] : []))
  const counted = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 }
  t.strictSame(usageOf({}, false), [])
  t.strictSame(usageOf({}, true), [counted])
  t.strictSame(usageOf({ usage: 'always' }, false), [counted])
  t.strictSame(usageOf({ usage: false }, true), [])
  t.strictSame(usageOf({ usage: { total_tokens: 7 } }, true), [{ total_tokens: 7 }])
  t.match(openai.encodeStream({}, { ...context, wantsUsage: true }, {})[0], /"usage":null/)
  t.notOk(JSON.stringify(openai.encodeResponse({ usage: false }, context)).includes('usage'))
  t.end()
})

t.test('the official client reads tool calls and usage', async (t) => {
  const simulator = await startSimulator({
    script: { models: { m: [{ answer: { toolCalls: [{ name: 'f', arguments: '{"x":1}',
      pieces: ['{"x"', ':1}'] }] } }] } },
  })
  t.teardown(() => simulator.close())
  const client = new OpenAI({ baseURL: simulator.url, apiKey: 'key', maxRetries: 0 })
  const stream = client.chat.completions.stream({ model: 'm', messages, stream_options: { include_usage: true } })
  const { choices, usage } = await stream.finalChatCompletion()
  t.match(choices[0], { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'f',
    arguments: '{"x":1}' } }] } })
  t.match(usage, { total_tokens: 11 })
})
