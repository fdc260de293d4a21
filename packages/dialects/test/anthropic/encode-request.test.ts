import t from 'tap'
import type { ChatRequest } from '@understudy/core'
import { anthropic, isUntranslatableRequestError, openai } from '@understudy/dialects'

const MODEL = 'claude-sonnet-4-5'

const OPENAI_BODY = {
  model: 'chat',
  stream: true,
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'developer', content: 'be kind' },
    { role: 'user', content: [
      { type: 'text', text: 'what is it' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://host/x.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
    ] },
    { role: 'user', content: 'well?' },
    { role: 'assistant', content: '', reasoning_content: 'hm', tool_calls: [
      { id: 'call:0', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
      { id: 'c1', type: 'function', function: { name: 'g', arguments: '' } },
    ] },
    { role: 'tool', content: '42', tool_call_id: 'call:0' },
    { role: 'tool', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }], tool_call_id: 'c1' },
    { role: 'user', content: 'go on' },
  ],
  tools: [
    { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} }, strict: true } },
    { type: 'function', function: { name: 'g' } },
  ],
  tool_choice: 'required',
  parallel_tool_calls: false,
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', properties: {} }, strict: true } },
  temperature: 0,
  stop: ['x'],
  n: 1,
  seed: null,
  presence_penalty: 0,
  user: 'u',
}

function encode(body: Record<string, unknown>, model = MODEL): Record<string, unknown> {
  return anthropic.encodeRequest(openai.decodeRequest(body), model)
}

function featureOf(request: ChatRequest | Record<string, unknown>, model = MODEL): string | undefined {
  const messages = [{ role: 'user', content: 'hi' }]
  try {
    anthropic.encodeRequest(openai.decodeRequest({ messages, ...request }), model)
  } catch (error) {
    if (isUntranslatableRequestError(error)) return error.feature
    throw error
  }
  return undefined
}

t.test('a request of OpenAI is said in turns that alternate, with the results of tools in front', async (t) => {
  const before = structuredClone(OPENAI_BODY)
  t.strictSame(encode(OPENAI_BODY), {
    model: MODEL,
    max_tokens: 64_000,
    system: [{ type: 'text', text: 'be brief' }, { type: 'text', text: 'be kind' }],
    messages: [
      { role: 'user', content: [
        { type: 'text', text: 'what is it' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://host/x.png' } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' }, title: 'a.pdf' },
        { type: 'text', text: 'well?' },
      ] },
      { role: 'assistant', content: [
        { type: 'tool_use', id: 'call_0', name: 'f', input: { x: 1 } },
        { type: 'tool_use', id: 'c1', name: 'g', input: {} },
      ] },
      { role: 'user', content: [
        { type: 'tool_result', tool_use_id: 'call_0', content: '42' },
        { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] },
        { type: 'text', text: 'go on' },
      ] },
    ],
    stream: true,
    tools: [
      { name: 'f', description: 'd', input_schema: { type: 'object', properties: {}, additionalProperties: false }, strict: true },
      { name: 'g', input_schema: { type: 'object' } },
    ],
    tool_choice: { type: 'any', disable_parallel_tool_use: true },
    stop_sequences: ['x'],
    temperature: 0,
    output_config: { format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } } },
  })
  t.strictSame(OPENAI_BODY, before, 'the body is not changed')
})

t.test('the choice of a tool', async (t) => {
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const choice = (fields: Record<string, unknown>) => encode({ messages: [{ role: 'user', content: 'hi' }], tools, ...fields })['tool_choice']
  t.strictSame(choice({}), undefined)
  t.strictSame(choice({ tool_choice: 'auto' }), { type: 'auto' })
  t.strictSame(choice({ tool_choice: 'none', parallel_tool_calls: false }), { type: 'none' })
  t.strictSame(choice({ tool_choice: { type: 'function', function: { name: 'f' } } }), { type: 'tool', name: 'f' })
  t.strictSame(choice({ parallel_tool_calls: false }), { type: 'auto', disable_parallel_tool_use: true })
  t.strictSame(choice({ parallel_tool_calls: true }), undefined)
  t.strictSame(choice({ tools: [], tool_choice: 'auto' }), undefined, 'not without tools')
})

t.test('a limit that the API demands: the request\'s, else the model\'s, and never more than the model writes', async (t) => {
  const limit = (model: string, max?: number) => encode({ messages: [{ role: 'user', content: 'hi' }], max_tokens: max }, model)['max_tokens']
  const table: readonly (readonly [model: string, most: number])[] = [
    ['claude-3-opus-20240229', 4_096],
    ['claude-3-5-sonnet-20241022', 8_192],
    ['claude-3-7-sonnet-latest', 64_000],
    ['claude-opus-4-20250514', 32_000],
    ['claude-opus-4-1', 32_000],
    ['claude-haiku-4-5-20251001', 64_000],
    ['anthropic/claude-opus-4-6', 128_000],
    ['claude-opus-5', 128_000],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 64_000],
  ]
  for (const [model, most] of table) {
    t.equal(limit(model), most, model)
    t.equal(limit(model, 1_000_000), most, `${model} is asked for no more`)
    t.equal(limit(model, 5), 5)
  }
  t.equal(limit('some-alias'), 8_192)
  t.equal(limit('some-alias', 1_000_000), 1_000_000)
})

t.test('an effort becomes thinking as the model takes it', async (t) => {
  const user = { role: 'user', content: 'hi' }
  const thinking = (model: string, fields: Record<string, unknown>) => {
    const { thinking, output_config: config } = encode({ messages: [user], ...fields }, model)
    return [thinking, config]
  }
  t.strictSame(thinking(MODEL, { reasoning_effort: 'high' }), [{ type: 'enabled', budget_tokens: 16_384 }, undefined])
  t.strictSame(thinking(MODEL, { reasoning_effort: 'minimal' }), [{ type: 'enabled', budget_tokens: 1_024 }, undefined])
  t.strictSame(thinking(MODEL, { reasoning_effort: 'high', max_tokens: 5_000 }), [{ type: 'enabled', budget_tokens: 2_500 }, undefined])
  t.strictSame(thinking(MODEL, { reasoning_effort: 'high', max_tokens: 1_500 }), [undefined, undefined], 'no room')
  t.strictSame(thinking(MODEL, { reasoning_effort: 'none' }), [{ type: 'disabled' }, undefined])
  t.strictSame(thinking(MODEL, {}), [undefined, undefined])
  t.strictSame(thinking('claude-opus-4-7', { reasoning_effort: 'minimal' }), [{ type: 'adaptive' }, { effort: 'low' }])
  t.strictSame(thinking('claude-3-5-haiku', { reasoning_effort: 'high' }), [undefined, undefined])
  const tools = [{ type: 'function', function: { name: 'f' } }]
  t.strictSame(thinking(MODEL, { reasoning_effort: 'high', tools, tool_choice: 'required' }), [undefined, undefined], 'a forced tool')
  const calls = [
    user,
    { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: '1' },
  ]
  t.strictSame(thinking(MODEL, { reasoning_effort: 'high', tools, messages: calls }), [undefined, undefined], 'another model\'s call')
  t.strictSame(thinking('claude-opus-4-7', { reasoning_effort: 'high', tools, messages: calls }), [{ type: 'adaptive' }, { effort: 'high' }], 'which needs no thought there')
})

t.test('what newer models take of the samplers', async (t) => {
  const said = (model: string, fields: Record<string, unknown>) => {
    const { temperature, top_p: topP } = encode({ messages: [{ role: 'user', content: 'hi' }], ...fields }, model)
    return [temperature, topP]
  }
  t.strictSame(said('claude-3-7-sonnet', { temperature: 0.5, top_p: 0.5 }), [0.5, 0.5])
  t.strictSame(said(MODEL, { temperature: 0.5, top_p: 1 }), [0.5, undefined])
  t.strictSame(said(MODEL, { temperature: 1, top_p: 0.5 }), [undefined, 0.5])
  t.strictSame(said('claude-opus-4-7', { temperature: 1, top_p: 1 }), [undefined, undefined])
})

t.test('what cannot be said is refused by its name', async (t) => {
  const user = { role: 'user', content: 'hi' }
  const image = (url: string) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] })
  const table: readonly (readonly [Record<string, unknown>, feature: string, model?: string])[] = [
    [{ n: 2 }, 'n'],
    [{ seed: 1 }, 'seed'],
    [{ presence_penalty: 0.1 }, 'presence_penalty'],
    [{ frequency_penalty: -0.1 }, 'frequency_penalty'],
    [{ logit_bias: { 1: 1 } }, 'logit_bias'],
    [{ logprobs: true }, 'logprobs'],
    [{ audio: {} }, 'audio'],
    [{ temperature: 1.5 }, 'temperature'],
    [{ temperature: 0.5, top_p: 0.5 }, 'temperature-and-top_p'],
    [{ temperature: 0.5 }, 'temperature', 'claude-opus-4-7'],
    [{ top_p: 0.5 }, 'top_p', 'claude-opus-5'],
    [{ temperature: 0.5, reasoning_effort: 'low' }, 'temperature'],
    [{ stop: ['\n'] }, 'stop-white_space'],
    [{ response_format: { type: 'json_object' } }, 'json_object'],
    [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools.custom'],
    [{ tool_choice: { type: 'allowed_tools' } }, 'tool_choice.allowed_tools'],
    [{ messages: [{ ...user, name: 'ann' }] }, 'message-name'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'no-turn'],
    [{ messages: [{ role: 'assistant', content: 'x' }, user] }, 'first-turn-assistant'],
    [{ messages: [user, { role: 'assistant', content: 'x' }] }, 'last-turn-assistant'],
    [{ messages: [user, { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{' } }] }] }, 'tool-call-arguments'],
    [{ messages: [user, { role: 'tool', content: 'x' }] }, 'tool-result-id'],
    [image('http://host/x.png'), 'image-url'],
    [image('data:image/tiff;base64,AA'), 'image-media_type'],
    [{ messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] }, 'file_id'],
    [{ messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: 'data:text/csv;base64,AA' } }] }] }, 'file-media_type'],
    [{ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }, 'input_audio'],
  ]
  for (const [fields, feature, model] of table) t.equal(featureOf(fields, model), feature, `${feature} ${model ?? ''}`)
  t.equal(featureOf({}), undefined)
})

t.test('a request from code keeps the proof of its thoughts, one from another dialect does not', async (t) => {
  const request: ChatRequest = {
    stream: false,
    reasoning: true,
    reasoningBudget: 2_000,
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: [
        { type: 'reasoning', text: 'hm', signature: 's' },
        { type: 'reasoning', text: '', redacted: 'r' },
        { type: 'reasoning', text: 'unproven' },
      ], toolCalls: [{ id: 'a', name: 'f', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'a', content: [], isError: true },
    ],
  }
  const encoded = anthropic.encodeRequest(request, MODEL)
  t.strictSame(encoded['thinking'], { type: 'enabled', budget_tokens: 2_000 })
  t.strictSame((encoded['messages'] as unknown[]).slice(1), [
    { role: 'assistant', content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'r' },
      { type: 'tool_use', id: 'a', name: 'f', input: {} },
    ] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true }] },
  ])
  const foreign = anthropic.encodeRequest({ ...request, dialect: 'openai' }, MODEL)
  t.strictSame((foreign['messages'] as { content: unknown }[])[1]?.content, [{ type: 'tool_use', id: 'a', name: 'f', input: {} }])
  t.equal(foreign['thinking'], undefined)
})

t.test('what is marked to be cached keeps its mark on a block, a call, a result and a tool', async (t) => {
  const cached = { cache_control: { type: 'ephemeral' } }
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
  const body = {
    max_tokens: 9,
    tools: [{ name: 'f', input_schema: { type: 'object' }, ...cached }],
    system: [{ type: 'text', text: 'be brief', ...cached }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'a', ...cached }, { type: 'image', source, ...cached }, { type: 'document', source: { ...source, media_type: 'application/pdf' }, title: 't', ...cached }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {}, ...cached }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: '1', ...cached }] },
    ],
  }
  const { dialect, body: raw, ...fromCode } = anthropic.decodeRequest(body)
  t.strictSame([dialect, raw], ['anthropic', body])
  t.strictSame(anthropic.encodeRequest(fromCode, 'claude-x'), { model: 'claude-x', ...body })
})
