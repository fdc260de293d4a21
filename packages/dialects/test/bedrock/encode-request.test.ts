import t from 'tap'
import type { ChatRequest } from '@understudy/core'
import { anthropic, bedrock, gemini, isUntranslatableRequestError, openai } from '@understudy/dialects'

const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'
const NOVA = 'amazon.nova-pro-v1:0'

type Body = Record<string, unknown>

const MESSAGES = [{ role: 'user', content: 'hi' }]
const TOOLS = [{ type: 'function', function: { name: 'f' } }]

function encode(body: Body, model = CLAUDE): Body {
  return bedrock.encodeRequest(openai.decodeRequest({ messages: MESSAGES, ...body }), model)
}

function featureOf(request: ChatRequest, model = CLAUDE): string | undefined {
  try {
    bedrock.encodeRequest(request, model)
  } catch (error) {
    if (isUntranslatableRequestError(error)) return `${error.target}:${error.feature}`
    throw error
  }
  return undefined
}

function unsayable(body: Body, model = CLAUDE): string | undefined {
  return featureOf(openai.decodeRequest({ messages: MESSAGES, ...body }), model)?.replace('bedrock:', '')
}

t.test('a request of OpenAI is said in turns that alternate, with the results of tools in the user\'s', async (t) => {
  const body = {
    model: 'chat',
    stream: true,
    messages: [
      { role: 'system', content: 'be brief' },
      { role: 'developer', content: 'be kind' },
      { role: 'user', content: [
        { type: 'text', text: 'what is it' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'file', file: { filename: 'a_b.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
        { type: 'file', file: { filename: 'a b.pdf', file_data: 'data:application/pdf;base64,CCCC' } },
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
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object', properties: {} }, strict: true } },
    temperature: 0,
    max_tokens: 100,
    stop: ['x'],
    n: 1,
    seed: null,
    presence_penalty: 0,
  }
  const before = structuredClone(body)
  t.strictSame(encode(body), {
    messages: [
      { role: 'user', content: [
        { text: 'what is it' },
        { image: { format: 'png', source: { bytes: 'AAAA' } } },
        { document: { format: 'pdf', name: 'a b', source: { bytes: 'BBBB' } } },
        { document: { format: 'pdf', name: 'a b 2', source: { bytes: 'CCCC' } } },
        { text: 'well?' },
      ] },
      { role: 'assistant', content: [
        { toolUse: { toolUseId: 'call_0', name: 'f', input: { x: 1 } } },
        { toolUse: { toolUseId: 'c1', name: 'g', input: {} } },
      ] },
      { role: 'user', content: [
        { toolResult: { toolUseId: 'call_0', content: [{ text: '42' }] } },
        { toolResult: { toolUseId: 'c1', content: [{ text: 'a' }, { text: 'b' }] } },
        { text: 'go on' },
      ] },
    ],
    system: [{ text: 'be brief' }, { text: 'be kind' }],
    inferenceConfig: { maxTokens: 100, temperature: 0, stopSequences: ['x'] },
    toolConfig: {
      tools: [
        { toolSpec: { name: 'f', description: 'd', inputSchema: { json: { type: 'object', properties: {}, additionalProperties: false } }, strict: true } },
        { toolSpec: { name: 'g', inputSchema: { json: { type: 'object' } } } },
      ],
      toolChoice: { any: {} },
    },
    additionalModelResponseFieldPaths: ['/stop_sequence'],
    outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { schema: '{"type":"object","properties":{},"additionalProperties":false}', name: 'n' } } } },
  })
  t.strictSame(body, before, 'and nothing of it is changed')
  t.strictSame(encode({ model: 'chat', stream: true }), { messages: [{ role: 'user', content: [{ text: 'hi' }] }] }, 'what nobody asks for is not said')
})

t.test('which tool, and how many calls, is said as each model takes it', async (t) => {
  const choice = (body: Body, model = CLAUDE) => {
    const { toolConfig, additionalModelRequestFields } = encode({ tools: TOOLS, ...body }, model) as { toolConfig?: Body, additionalModelRequestFields?: Body }
    return [toolConfig?.['toolChoice'], additionalModelRequestFields]
  }
  t.strictSame(choice({}), [undefined, undefined])
  t.strictSame(choice({ tool_choice: 'auto' }), [{ auto: {} }, undefined])
  t.strictSame(choice({ tool_choice: { type: 'function', function: { name: 'f' } } }), [{ tool: { name: 'f' } }, undefined])
  t.strictSame(choice({ parallel_tool_calls: false }), [undefined, { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }])
  t.strictSame(choice({ parallel_tool_calls: false, tool_choice: 'required' })[1], { tool_choice: { type: 'any', disable_parallel_tool_use: true } })
  t.strictSame(choice({ parallel_tool_calls: true }, NOVA), [undefined, undefined])
  t.equal(unsayable({ tools: TOOLS, parallel_tool_calls: false }, NOVA), 'parallel_tool_calls')
  t.strictSame(Object.keys(encode({ tools: TOOLS, tool_choice: 'none' })), ['messages'], 'no tool is called where there is none')
  const called = [
    ...MESSAGES,
    { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'a', content: '1' },
  ]
  t.equal(unsayable({ messages: called, tools: TOOLS, tool_choice: 'none' }), 'tool_choice-none')
  t.equal(unsayable({ messages: called }), 'tool-calls-without-tools')
})

t.test('reasoning is asked for in the words of the model\'s own vendor', async (t) => {
  const fields = (body: Body, model = CLAUDE) => {
    const { additionalModelRequestFields, outputConfig, inferenceConfig } = encode(body, model)
    return [additionalModelRequestFields, outputConfig, inferenceConfig]
  }
  t.strictSame(fields({ reasoning_effort: 'low', max_tokens: 9_000 }), [{ thinking: { type: 'enabled', budget_tokens: 2_048 } }, undefined, { maxTokens: 9_000 }])
  t.strictSame(fields({ reasoning_effort: 'low' })[2], { maxTokens: 64_000 }, 'a budget is part of something')
  t.strictSame(
    fields({ reasoning_effort: 'high' }, 'anthropic.claude-opus-4-7-v1:0').slice(0, 2),
    [{ thinking: { type: 'adaptive' } }, { effort: 'high' }],
  )
  t.strictSame(fields({ reasoning_effort: 'high' }, 'openai.gpt-oss-120b-1:0'), [{ reasoning_effort: 'high' }, undefined, undefined])
  t.strictSame(fields({ reasoning_effort: 'high' }, NOVA), [undefined, undefined, undefined], 'a model that is not known to answers without')
})

t.test('thoughts with their proof go back to Claude, from a client that has them of Claude', async (t) => {
  const body = {
    model: 'm',
    max_tokens: 4_000,
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's1' }, { type: 'thinking', thinking: 'none' }, { type: 'text', text: 'y' }] },
      { role: 'user', content: 'z' },
    ],
  }
  const said = (model: string) => (bedrock.encodeRequest(anthropic.decodeRequest(body), model)['messages'] as { content: unknown }[])[1]?.content
  t.strictSame(said(CLAUDE), [{ reasoningContent: { reasoningText: { text: 'hm', signature: 's1' } } }, { text: 'y' }])
  t.strictSame(said(NOVA), [{ text: 'y' }])
  const fromCode = { stream: true, messages: [
    { role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] },
    { role: 'assistant' as const, content: [{ type: 'reasoning' as const, text: '', redacted: 'RED' }] },
  ] }
  t.match(bedrock.encodeRequest(fromCode, CLAUDE), { messages: [{}, { content: [{ reasoningContent: { redactedContent: 'UkVE' } }] }] })
})

t.test('a failed result of a tool, and top_k, are said where there is a word', async (t) => {
  const body = {
    max_tokens: 10,
    top_k: 5,
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: true }] },
    ],
  }
  const encoded = bedrock.encodeRequest(anthropic.decodeRequest(body), CLAUDE)
  t.match(encoded, { additionalModelRequestFields: { top_k: 5 }, messages: [{}, {}, { content: [{ toolResult: { toolUseId: 'a', content: [], status: 'error' } }] }] })
  t.match(bedrock.encodeRequest(anthropic.decodeRequest(body), NOVA), { additionalModelRequestFields: { inferenceConfig: { topK: 5 } } })
  t.equal(featureOf(anthropic.decodeRequest(body), 'meta.llama3-70b-instruct-v1:0'), 'bedrock:top_k')
})

t.test('a call and its result keep one id, also where it is longer than the API takes', async (t) => {
  const id = `x${'9'.repeat(80)}`
  const { messages } = encode({
    tools: TOOLS,
    messages: [
      ...MESSAGES,
      { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: '1' },
    ],
  })
  const ids = JSON.stringify(messages).match(/"toolUseId":"\d{64}"/g)
  t.equal(ids?.length, 2)
  t.equal(new Set(ids).size, 1)
})

t.test('what the API has no words for is named, and nothing is dropped in silence', async (t) => {
  const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, ...content] }] })
  const rows: readonly (readonly [Body, string])[] = [
    [user({ type: 'image_url', image_url: { url: 'https://host/x.png' } }), 'image-url'],
    [user({ type: 'image_url', image_url: { url: 'data:image/bmp;base64,AAAA' } }), 'image-media_type'],
    [user({ type: 'file', file: { filename: 'a.zip', file_data: 'data:application/zip;base64,AAAA' } }), 'file-media_type'],
    [{ messages: [{ role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }] }] }, 'file-without-text'],
    [{ response_format: { type: 'json_object' } }, 'json_object'],
    [{ seed: 1 }, 'seed'],
    [{ n: 2 }, 'n'],
    [{ presence_penalty: 0.5 }, 'presence_penalty'],
    [{ frequency_penalty: 0.5 }, 'frequency_penalty'],
    [{ logit_bias: { 1: 2 } }, 'logit_bias'],
    [{ temperature: 1.5 }, 'temperature'],
    [{ stop: [' '] }, 'stop-white_space'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'no-turn'],
    [{ messages: [{ role: 'assistant', content: 'x' }, ...MESSAGES] }, 'first-turn-assistant'],
    [{ messages: [...MESSAGES, { role: 'assistant', content: 'x' }] }, 'last-turn-assistant'],
    [{ messages: [{ role: 'user', content: 'x', name: 'n' }] }, 'message-name'],
    [{ messages: [...MESSAGES, { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '[1' } }] }], tools: TOOLS }, 'tool-call-arguments'],
  ]
  for (const [body, feature] of rows) t.equal(unsayable(body), feature, feature)
  t.equal(unsayable({ temperature: 1.5 }, NOVA), 'temperature')
  const bucket = { contents: [{ role: 'user', parts: [{ fileData: { fileUri: 'gs://b/x', mimeType: 'video/mp4' } }] }] }
  t.equal(featureOf(gemini.decodeRequest(bucket)), 'bedrock:fileData-gs')
})

t.test('what a client of Anthropic marks to be cached has a point behind it, where the model takes one', async (t) => {
  const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const text = (said: string, mark = {}) => ({ type: 'text', text: said, ...mark })
  const source = (media_type: string) => ({ type: 'base64', media_type, data: 'AAAA' })
  const body = {
    max_tokens: 9,
    cache_control: { type: 'ephemeral' },
    system: [text('be brief', cached), text('be kind')],
    tools: [{ name: 'f', input_schema: { type: 'object' } }, { name: 'g', input_schema: { type: 'object' }, ...cached }],
    messages: [
      { role: 'user', content: [text('a', cached), { type: 'image', source: source('image/png'), ...cached }, text(' ', cached)] },
      { role: 'assistant', content: [text('b', cached), { type: 'tool_use', id: 'c1', name: 'f', input: {}, ...cached }] },
      { role: 'user', content: [
        { type: 'tool_result', tool_use_id: 'c1', content: [text('42')], ...cached },
        { type: 'document', source: source('application/pdf'), ...cached },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, ...cached },
        text('c'),
      ] },
    ],
  }
  const said = (model: string, more: Body = {}) => {
    const { system, messages, toolConfig } = bedrock.encodeRequest(anthropic.decodeRequest({ ...body, ...more }), model) as {
      readonly system: readonly object[]; readonly messages: readonly { readonly content: readonly object[] }[]; readonly toolConfig: { readonly tools: readonly object[] }
    }
    const keys = (blocks: readonly object[]) => blocks.flatMap((block) => Object.keys(block)).join(' ')
    t.notMatch(JSON.stringify([system, messages, toolConfig]), /"cachePoint":(?!\{"type":"default"\})/)
    return [keys(system), keys(toolConfig.tools), ...messages.map(({ content }) => keys(content))]
  }
  t.strictSame(said(CLAUDE), [
    'text cachePoint text', 'toolSpec toolSpec cachePoint',
    'text cachePoint image cachePoint', 'text cachePoint toolUse cachePoint', 'toolResult cachePoint document cachePoint document text',
  ])
  t.strictSame(said('anthropic.claude-3-5-haiku-20241022-v1:0'), said(CLAUDE))
  t.strictSame(said(NOVA), ['text cachePoint text', 'toolSpec toolSpec', 'text cachePoint image', 'text toolUse', 'toolResult document document text'])
  const none = ['text text', 'toolSpec toolSpec', 'text image', 'text toolUse', 'toolResult document document text']
  for (const model of ['anthropic.claude-3-haiku-20240307-v1:0', 'anthropic.claude-3-5-sonnet-20241022-v2:0', 'amazon.nova-2-lite-v1:0', 'qwen.qwen3-coder-next', 'arn:aws:bedrock:eu-west-1:1:application-inference-profile/a1']) {
    t.strictSame(said(model), none, model)
  }
  const thought = { type: 'thinking', thinking: 'hm', signature: 's' }
  const [first, answer, results] = body.messages
  t.strictSame(said(CLAUDE, { messages: [first, { ...answer, content: [thought, ...(answer?.content ?? [])] }, results] }).slice(2), [
    'text cachePoint image cachePoint', 'reasoningContent text toolUse', 'toolResult document document text',
  ], 'the API refuses a point behind a thought')
  const inside = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: [text('42', cached), text('43')] }] }
  t.equal(said(CLAUDE, { messages: [first, answer, inside] })[4], 'toolResult cachePoint', 'inside of a result there is no place for one')
})
