import t from 'tap'
import type { ChatRequest } from '@understudy/core'
import { isUntranslatableRequestError, openai } from '@understudy/dialects'

const BODY = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'user', name: 'ann', content: [
      { type: 'text', text: 'what is it' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://host/x.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
    ] },
    { role: 'assistant', content: null, tool_calls: [
      { id: 'c0', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
      { id: 'c1', type: 'function', function: { name: 'g', arguments: '{}' } },
    ] },
    { role: 'tool', content: '42', tool_call_id: 'c0' },
    { role: 'tool', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }], tool_call_id: 'c1' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } }],
  tool_choice: { type: 'function', function: { name: 'f' } },
  parallel_tool_calls: false,
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
  max_tokens: 5,
  temperature: 0,
  top_p: 0.5,
  seed: 1,
  presence_penalty: 0.1,
  frequency_penalty: 0.2,
  stop: ['x'],
  n: 2,
  reasoning_effort: 'low',
}

t.test('a body comes back from its neutral reading', async (t) => {
  const before = structuredClone(BODY)
  const request = openai.decodeRequest(BODY)
  t.strictSame(openai.encodeRequest(request, 'm'), BODY)
  t.strictSame(BODY, before, 'the body is not changed')
  t.equal(request.body, BODY)
  t.equal(request.unsaid, undefined)
})

t.test('the neutral reading of older and looser bodies', async (t) => {
  const request = openai.decodeRequest({
    messages: [
      { role: 'developer', content: 'd' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }], reasoning_content: 'r', function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: '1' },
      { role: 'user', content: null },
      'junk',
    ],
    functions: [{ name: 'f' }],
    function_call: { name: 'f' },
    stop: 'x',
    max_completion_tokens: 3,
    max_tokens: 9,
    reasoning: { effort: 'high' },
    logprobs: false,
    logit_bias: {},
    user: 'u',
    top_k: null,
    audio: { voice: 'x' },
  })
  const { body, ...rest } = request
  t.ok(body)
  t.strictSame(rest, {
    dialect: 'openai',
    stream: false,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'd' }] },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'r' }, { type: 'text', text: 'no' }], toolCalls: [{ id: 'f', name: 'f', arguments: '{}' }] },
      { role: 'tool', content: [{ type: 'text', text: '1' }], toolCallId: 'f' },
      { role: 'user', content: [] },
    ],
    tools: [{ name: 'f' }],
    toolChoice: { name: 'f' },
    maxTokens: 3,
    stop: ['x'],
    reasoning: true,
    reasoningEffort: 'high',
    unsaid: ['audio'],
  })
})

t.test('the outline says what every leg has to know', async (t) => {
  t.strictSame(openai.outlineRequest({}), { model: undefined, stream: false, choices: 1, reasoning: false, includeUsage: false })
  t.strictSame(openai.outlineRequest(BODY), { model: 'm', stream: true, choices: 2, reasoning: true, includeUsage: true })
  t.match(openai.outlineRequest({ reasoning_effort: 'none', stream: 'yes' }), { reasoning: false, stream: false })
})

t.test('no body makes the reading throw', async (t) => {
  for (const value of [null, 1, 'x', [], {}, [null], [{}], [[]], { a: { b: null } }]) {
    const body = Object.fromEntries(Object.keys(BODY).map((key) => [key, value]))
    t.ok(openai.decodeRequest(body))
    t.ok(openai.decodeRequest({ messages: [{ role: value, content: value, tool_calls: value, name: value, function_call: value }] }))
  }
})

t.test('the newest models get the newest name of the token limit', async (t) => {
  const request: ChatRequest = { stream: false, messages: [], maxTokens: 5 }
  const names = ['gpt-4o-mini', 'o3-mini', 'gpt-5', 'openai/gpt-5-mini', 'olmo-2', 'deepseek-chat'].map((model) => Object.keys(openai.encodeRequest(request, model)).at(-1))
  t.strictSame(names, ['max_tokens', 'max_completion_tokens', 'max_completion_tokens', 'max_completion_tokens', 'max_tokens', 'max_tokens'])
})

const image = { type: 'image', source: { type: 'url', url: 'https://host/x' } } as const
const UNTRANSLATABLE: readonly (readonly [string, Partial<ChatRequest>])[] = [
  ['top_k', { topK: 3 }],
  ['cached_content', { unsaid: ['cached_content'] }],
  ['file-url', { messages: [{ role: 'user', content: [{ type: 'file', source: { type: 'url', url: 'https://host/secret' } }] }] }],
  ['tool-image', { messages: [{ role: 'tool', toolCallId: 'c', content: [image] }] }],
  ['assistant-image', { messages: [{ role: 'assistant', content: [image] }, { role: 'user', content: [] }] }],
  ['prefill', { messages: [{ role: 'assistant', content: [] }] }],
  ['video', { messages: [{ role: 'user', content: [{ type: 'other', feature: 'video', value: { secret: 1 } }] }] }],
]

t.test('what cannot be said is refused by name, without what it holds', async (t) => {
  for (const [feature, part] of UNTRANSLATABLE) {
    const request: ChatRequest = { dialect: 'gemini', stream: false, messages: [], ...part }
    try {
      openai.encodeRequest(request, 'm')
      t.fail(feature)
    } catch (error) {
      t.ok(isUntranslatableRequestError(error))
      t.match(error, { source: 'gemini', target: 'openai', feature, code: 'ERR_UNDERSTUDY_UNTRANSLATABLE_REQUEST' })
      t.notMatch(`${error}`, 'secret')
    }
  }
})

t.test('what a model thought before is left to its own provider', async (t) => {
  const { messages } = openai.encodeRequest({ stream: false, messages: [{ role: 'assistant', content: [{ type: 'reasoning', text: 'r' }, { type: 'text', text: 'a' }] }] }, 'm')
  t.strictSame(messages, [{ role: 'assistant', content: 'a' }])
})
