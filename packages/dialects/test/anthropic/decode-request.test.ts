import t from 'tap'
import { anthropic, isUntranslatableRequestError, openai } from '@understudy/dialects'

const user = { role: 'user', content: 'hi' }

const BODY = {
  model: 'chat',
  max_tokens: 9,
  stream: true,
  system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: [
      { type: 'text', text: 'what is it' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 'https://host/x.png' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' }, title: 'a.pdf' },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'h\u00e9' } },
    ] },
    { role: 'assistant', content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'redacted_thinking', data: 'r' },
      { type: 'text', text: 'let me see' },
      { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'g', input: {} },
    ] },
    { role: 'user', content: [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '42' }] },
      { type: 'tool_result', tool_use_id: 'b', is_error: true },
      { type: 'text', text: 'go on' },
    ] },
  ],
  tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true }, { type: 'custom', name: 'g', input_schema: {} }],
  tool_choice: { type: 'any', disable_parallel_tool_use: true },
  stop_sequences: ['x'],
  temperature: 0,
  top_p: 0.5,
  top_k: 4,
  thinking: { type: 'enabled', budget_tokens: 2_000 },
  output_config: { effort: 'low', format: { type: 'json_schema', schema: { type: 'object' } } },
  metadata: { user_id: 'u' },
  service_tier: 'auto',
}

t.test('the neutral reading of a body', async (t) => {
  const before = structuredClone(BODY)
  const { body, ...request } = anthropic.decodeRequest(BODY)
  t.equal(body, BODY)
  t.strictSame(BODY, before, 'the body is not changed')
  t.strictSame(request, {
    dialect: 'anthropic',
    model: 'chat',
    stream: true,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'be brief', cachePoint: true }] },
      { role: 'user', content: [
        { type: 'text', text: 'what is it' },
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' } },
        { type: 'image', source: { type: 'url', url: 'https://host/x.png' } },
        { type: 'file', source: { type: 'base64', mediaType: 'application/pdf', data: 'BBBB' }, name: 'a.pdf' },
        { type: 'file', source: { type: 'base64', mediaType: 'text/plain', data: 'aMOp' } },
      ] },
      { role: 'assistant', content: [
        { type: 'reasoning', text: 'hm', signature: 's' },
        { type: 'reasoning', text: '', redacted: 'r' },
        { type: 'text', text: 'let me see' },
      ], toolCalls: [{ id: 'a', name: 'f', arguments: '{"x":1}' }, { id: 'b', name: 'g', arguments: '{}' }] },
      { role: 'tool', content: [{ type: 'text', text: '42' }], toolCallId: 'a' },
      { role: 'tool', content: [], toolCallId: 'b', isError: true },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ],
    tools: [
      { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
      { name: 'g', parameters: {} },
    ],
    toolChoice: 'required',
    parallelToolCalls: false,
    responseFormat: { type: 'json-schema', schema: { type: 'object' }, strict: true },
    maxTokens: 9,
    temperature: 0,
    topP: 0.5,
    topK: 4,
    stop: ['x'],
    reasoning: true,
    reasoningBudget: 2_000,
    reasoningEffort: 'low',
  })
})

t.test('the outline of a body', async (t) => {
  const outline = { model: 'm', stream: true, choices: 1, reasoning: true, includeUsage: true }
  t.strictSame(anthropic.outlineRequest({ model: 'm', stream: true, thinking: { type: 'adaptive' } }), outline)
  t.strictSame(anthropic.outlineRequest({ thinking: { type: 'disabled' } }), { ...outline, model: undefined, stream: false, reasoning: false })
})

t.test('nothing in a body makes the reading throw', async (t) => {
  const odd: readonly Record<string, unknown>[] = [
    {}, { messages: null }, { messages: [1, null, {}, { role: 'x', content: 1 }] }, { messages: [{ role: 'user', content: [null, {}, { type: 1 }] }] },
    { system: 1, tools: [null, 1, {}], tool_choice: 'x', thinking: [], output_config: 'x', stop_sequences: 'x' },
  ]
  for (const body of odd) t.doesNotThrow(() => anthropic.decodeRequest(body))
})

t.test('what has no neutral word is named', async (t) => {
  const unsaid = (fields: Record<string, unknown>) => anthropic.decodeRequest({ messages: [user], ...fields }).unsaid
  t.strictSame(unsaid({ container: 'x', mcp_servers: [], inference_geo: 'eu', context_management: {} }), [
    'container', 'mcp_servers', 'inference_geo', 'context_management',
  ])
  t.strictSame(unsaid({ output_config: { task_budget: 1 } }), ['output_config.task_budget'])
  t.strictSame(unsaid({ tools: [{ type: 'web_search_20250305', name: 'web_search' }, { name: 'f', input_examples: [{}] }] }), [
    'web_search_20250305', 'tools.input_examples',
  ])
  t.strictSame(unsaid({ tools: [{ name: 'f', defer_loading: true }, { name: 'g', allowed_callers: ['direct', 'code_execution_20260120'] }] }), [
    'tools.defer_loading', 'tools.allowed_callers',
  ])
  t.equal(unsaid({ metadata: {}, service_tier: 'auto', cache_control: {}, speed: 'fast', container: null }), undefined)
  const features = (content: unknown[]) => anthropic.decodeRequest({ messages: [{ role: 'user', content }] }).messages[0]?.content
    .map((block) => (block.type === 'other' ? block.feature : block.type))
  t.strictSame(features([
    { type: 'image', source: { type: 'file', file_id: 'x' } },
    { type: 'document', source: { type: 'file', file_id: 'x' } },
    { type: 'document', source: { type: 'content', content: [] } },
    { type: 'document', source: { type: 'text', data: 'x' }, citations: { enabled: true } },
    { type: 'document', source: { type: 'text', data: 'x' }, context: 'c' },
    { type: 'search_result' },
    { type: 'web_search_tool_result' },
  ]), ['image-file_id', 'document-file_id', 'document-content', 'citations', 'document-context', 'search_result', 'web_search_tool_result'])
})

t.test('a body comes back from its neutral reading', async (t) => {
  t.strictSame(anthropic.encodeRequest(anthropic.decodeRequest(BODY), 'm'), {
    ...BODY,
    model: 'm',
    messages: BODY.messages.map((turn, index) => (index < 2 ? turn : {
      ...turn,
      content: [{ type: 'tool_result', tool_use_id: 'a', content: '42' }, ...(turn.content as unknown[]).slice(1)],
    })),
  })
  const own = { model: 'm', max_tokens: 1, messages: [user, { role: 'system', content: 'now French' }, { role: 'user', content: [{ type: 'search_result', source: 'x' }] }], container: 'c' }
  t.strictSame(anthropic.encodeRequest(anthropic.decodeRequest(own), 'm'), own, 'with what only this dialect can say')
})

t.test('the same for OpenAI, as far as it can be said', async (t) => {
  const said = anthropic.decodeRequest({ ...BODY, top_k: undefined, tools: BODY.tools.slice(0, 1) })
  t.strictSame(openai.encodeRequest(said, 'gpt-5-mini'), {
    model: 'gpt-5-mini',
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: [
        { type: 'text', text: 'what is it' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'image_url', image_url: { url: 'https://host/x.png' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
        { type: 'file', file: { filename: 'file', file_data: 'data:text/plain;base64,aMOp' } },
      ] },
      { role: 'assistant', content: 'let me see', tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
      ] },
      { role: 'tool', content: '42', tool_call_id: 'a' },
      { role: 'tool', content: 'Error', tool_call_id: 'b' },
      { role: 'user', content: 'go on' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: false } }],
    tool_choice: 'required',
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: false } },
    max_completion_tokens: 9,
    temperature: 0,
    top_p: 0.5,
    stop: ['x'],
    reasoning_effort: 'low',
  })

  const effort = (thinking: unknown, model = 'o3') => {
    const request = anthropic.decodeRequest({ messages: [user], max_tokens: 200_000, thinking })
    const { reasoning_effort: said, max_completion_tokens: most, max_tokens: plain } = openai.encodeRequest(request, model)
    return [said, most ?? plain]
  }
  t.strictSame(effort({ type: 'enabled', budget_tokens: 2_000 }), ['low', 100_000])
  t.strictSame(effort({ type: 'enabled', budget_tokens: 8_000 }), ['medium', 100_000])
  t.strictSame(effort({ type: 'enabled', budget_tokens: 32_000 }), ['high', 100_000])
  t.strictSame(effort({ type: 'adaptive' }), [undefined, 100_000])
  t.strictSame(effort({ type: 'enabled', budget_tokens: 32_000 }, 'gpt-4o-mini'), [undefined, 16_384], 'a model that takes none')
  t.strictSame(effort({ type: 'enabled', budget_tokens: 32_000 }, 'groq/llama'), [undefined, 200_000])
})

t.test('what OpenAI cannot say is refused by its name', async (t) => {
  const featureOf = (fields: Record<string, unknown>) => {
    try {
      openai.encodeRequest(anthropic.decodeRequest({ messages: [user], ...fields }), 'gpt-4o')
    } catch (error) {
      if (isUntranslatableRequestError(error)) return error.feature
      throw error
    }
    return undefined
  }
  const image = { type: 'image', source: { type: 'url', url: 'https://host/x.png' } }
  const table: readonly (readonly [Record<string, unknown>, feature: string])[] = [
    [{ top_k: 1 }, 'top_k'],
    [{ messages: [user, { role: 'assistant', content: '{' }] }, 'prefill'],
    [{ inference_geo: 'eu' }, 'inference_geo'],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'bash_20250124'],
    [{ stop_sequences: ['1', '2', '3', '4', '5'] }, 'stop'],
    [{ messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [image] }] }] }, 'tool-image'],
    [{ messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'url', url: 'https://host/x.pdf' } }] }] }, 'file-url'],
    [{ messages: [{ role: 'user', content: [{ type: 'search_result' }] }] }, 'search_result'],
  ]
  for (const [fields, feature] of table) t.equal(featureOf(fields), feature)
  t.equal(featureOf({}), undefined)
})
