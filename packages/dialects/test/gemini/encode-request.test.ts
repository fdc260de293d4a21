import t from 'tap'
import type { ChatRequest, ContentBlock, Message } from '@understudy/core'
import { anthropic, gemini, isUntranslatableRequestError, openai } from '@understudy/dialects'

const hi: Message = { role: 'user', content: [{ type: 'text', text: 'hi' }] }
const base: ChatRequest = { dialect: 'openai', stream: true, messages: [hi] }

function encoded(request: Partial<ChatRequest>, model = 'gemini-2.5-pro') {
  return gemini.encodeRequest({ ...base, ...request }, model)
}

function config(request: Partial<ChatRequest>, model?: string): unknown {
  return encoded(request, model)['generationConfig']
}

t.test('a request of OpenAI is one of Gemini', async (t) => {
  const body = {
    model: 'chat',
    stream: true,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Look' }, { type: 'image_url', image_url: { url: 'https://host/a.webp?x=1' } }] },
      { role: 'assistant', content: 'Yes', tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        { id: 'c2', type: 'function', function: { name: 'g', arguments: '' } },
      ] },
      { role: 'tool', tool_call_id: 'c1', content: 'sun' },
      { role: 'tool', tool_call_id: 'c2', content: '{"deg":3}' },
      { role: 'user', content: 'and?' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'F', parameters: { type: 'object' }, strict: true } }],
    tool_choice: 'auto',
    max_tokens: 100_000,
    temperature: 2,
    top_p: 0.5,
    stop: 'END',
    n: 2,
    seed: 3,
    presence_penalty: 0,
    frequency_penalty: 1,
    reasoning_effort: 'low',
  }
  t.strictSame(gemini.encodeRequest(openai.decodeRequest(body), 'gemini-2.5-pro'), {
    contents: [
      { role: 'user', parts: [{ text: 'Look' }, { fileData: { mimeType: 'image/webp', fileUri: 'https://host/a.webp?x=1' } }] },
      { role: 'model', parts: [
        { text: 'Yes' }, { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } }, { functionCall: { id: 'c2', name: 'g', args: {} } },
      ] },
      { role: 'user', parts: [
        { functionResponse: { id: 'c1', name: 'f', response: { output: 'sun' } } },
        { functionResponse: { id: 'c2', name: 'g', response: { deg: 3 } } },
      ] },
      { role: 'user', parts: [{ text: 'and?' }] },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'f', description: 'F', parametersJsonSchema: { type: 'object' } }] }],
    toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
    generationConfig: {
      temperature: 2,
      topP: 0.5,
      maxOutputTokens: 65_536,
      stopSequences: ['END'],
      candidateCount: 2,
      seed: 3,
      frequencyPenalty: 1,
      thinkingConfig: { thinkingBudget: 2_048, includeThoughts: true },
    },
  })
})

t.test('a tool that failed, thoughts and signatures', async (t) => {
  const calls = [{ id: 'a', name: 'f', arguments: '{}' }, { id: 'b', name: 'f', arguments: '{}' }]
  const thought: ContentBlock = { type: 'reasoning', text: 'hm', signature: 's' }
  const messages: readonly Message[] = [
    hi,
    { role: 'assistant', content: [thought, { type: 'reasoning', text: '', signature: 'p' }], toolCalls: calls },
    { role: 'tool', toolCallId: 'a', content: [{ type: 'text', text: 'no' }], isError: true },
    { role: 'tool', toolCallId: 'b', content: [] },
  ]
  const call = (id: string, more = {}) => ({ functionCall: { id, name: 'f', args: {} }, ...more })
  const results = { role: 'user', parts: [
    { functionResponse: { id: 'a', name: 'f', response: { error: 'no' } } }, { functionResponse: { id: 'b', name: 'f', response: { output: '' } } },
  ] }
  const user = { role: 'user', parts: [{ text: 'hi' }] }
  t.strictSame(encoded({ messages })['contents'], [user, { role: 'model', parts: [call('a'), call('b')] }, results], 'another vendor\'s thoughts stay behind')
  t.strictSame(encoded({ messages }, 'gemini-3-pro-preview')['contents'], [
    user, { role: 'model', parts: [call('a', { thoughtSignature: 'skip_thought_signature_validator' }), call('b')] }, results,
  ])
  t.strictSame(encoded({ messages, dialect: undefined }, 'gemini-3-pro-preview')['contents'], [
    user, { role: 'model', parts: [{ text: 'hm', thought: true, thoughtSignature: 's' }, call('a', { thoughtSignature: 'p' }), call('b')] }, results,
  ])
})

t.test('each choice of a tool', async (t) => {
  const choice = (request: Partial<ChatRequest>) =>
    (encoded({ tools: [{ name: 'f' }], ...request })['toolConfig'] as { functionCallingConfig: unknown } | undefined)?.functionCallingConfig
  t.strictSame(choice({}), undefined)
  t.strictSame(choice({ toolChoice: 'auto' }), { mode: 'AUTO' })
  t.strictSame(choice({ toolChoice: 'none', parallelToolCalls: false }), { mode: 'NONE' })
  t.strictSame(choice({ toolChoice: 'required' }), { mode: 'ANY' })
  t.strictSame(choice({ toolChoice: { name: 'f' } }), { mode: 'ANY', allowedFunctionNames: ['f'] })
  t.strictSame(encoded({ toolChoice: 'auto' }), { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, 'without tools there is none')
})

t.test('JSON is asked for with and without a schema', async (t) => {
  t.strictSame(config({ responseFormat: { type: 'json' } }), { responseMimeType: 'application/json' })
  const schema = { type: 'object' }
  t.strictSame(config({ responseFormat: { type: 'json-schema', schema } }), { responseMimeType: 'application/json', responseJsonSchema: schema })
  t.ok(encoded({ responseFormat: { type: 'json' }, tools: [{ name: 'f' }] }, 'gemini-3-flash-preview'))
})

t.test('each model is asked to think as it takes it', async (t) => {
  const table: readonly (readonly [model: string, request: Partial<ChatRequest>, thinking: unknown])[] = [
    ['gemini-2.5-pro', {}, undefined],
    ['gemini-2.5-pro', { reasoning: false }, { thinkingBudget: 128 }],
    ['gemini-2.5-flash', { reasoning: false }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', { reasoning: true, reasoningBudget: 100 }, { thinkingBudget: 512, includeThoughts: true }],
    ['gemini-2.5-flash', { reasoning: true, reasoningBudget: 30_000 }, { thinkingBudget: 24_576, includeThoughts: true }],
    ['gemini-2.5-flash', { reasoning: true }, { includeThoughts: true }],
    ['gemini-3-pro-preview', { reasoning: true, reasoningEffort: 'medium' }, { thinkingLevel: 'high', includeThoughts: true }],
    ['gemini-3.1-pro-preview', { reasoning: true, reasoningEffort: 'medium' }, { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3-flash-preview', { reasoning: true, reasoningBudget: 5_000 }, { thinkingLevel: 'medium', includeThoughts: true }],
    ['gemini-3-flash-preview', { reasoning: false }, { thinkingLevel: 'low' }],
    ['gemini-flash-latest', { reasoning: true, reasoningEffort: 'max' }, { thinkingLevel: 'high', includeThoughts: true }],
    ['google/gemini-2.5-flash', { reasoningEffort: 'high' }, { thinkingBudget: 16_384 }],
    ['gemini-2.0-flash', { reasoning: true }, undefined],
    ['gemini-2.5-flash-image', { reasoning: true }, undefined],
    ['gemma-3-27b-it', { reasoning: true }, undefined],
  ]
  for (const [model, request, thinking] of table) {
    const { thinkingConfig } = (config(request, model) ?? {}) as { thinkingConfig?: unknown }
    t.strictSame(thinkingConfig, thinking, `${model} ${JSON.stringify(request)}`)
  }
  t.strictSame([config({ maxTokens: 9_000 }, 'gemini-2.0-flash'), config({ maxTokens: 9_000 }, 'x')], [{ maxOutputTokens: 8_192 }, { maxOutputTokens: 9_000 }])
})

const image: ContentBlock = { type: 'image', source: { type: 'url', url: 'https://host/secret.png' } }

t.test('what cannot be said is refused by name, without what it holds', async (t) => {
  const data = (type: 'image' | 'file', mediaType: string): ContentBlock => ({ type, source: { type: 'base64', mediaType, data: 'secret' } })
  const said = (...content: readonly ContentBlock[]) => ({ messages: [{ role: 'user' as const, content }] })
  const table: readonly (readonly [feature: string, request: Partial<ChatRequest>])[] = [
    ['logit_bias', { unsaid: ['logit_bias'] }],
    ['n', { choices: 9 }],
    ['stop', { stop: ['1', '2', '3', '4', '5', '6'] }],
    ['parallel_tool_calls', { tools: [{ name: 'f' }], parallelToolCalls: false }],
    ['response_format-and-tools', { tools: [{ name: 'f' }], responseFormat: { type: 'json' } }],
    ['message-name', { messages: [{ ...hi, name: 'secret' }] }],
    ['no-turn', { messages: [] }],
    ['first-turn-assistant', { messages: [{ ...hi, role: 'assistant' }, hi] }],
    ['last-turn-assistant', { messages: [hi, { ...hi, role: 'assistant' }] }],
    ['tool-result-name', { messages: [hi, { role: 'tool', toolCallId: 'x', content: [] }] }],
    ['tool-call-arguments', { messages: [hi, { role: 'assistant', content: [], toolCalls: [{ id: 'a', name: 'f', arguments: '[' }] }] }],
    ['assistant-image', { messages: [hi, { role: 'assistant', content: [image] }] }],
    ['system-image', { messages: [{ role: 'system', content: [image] }, hi] }],
    ['image-media_type', said(data('image', 'image/gif'))],
    ['image-media_type', said({ type: 'image', source: { type: 'url', url: 'https://host/secret.gif' } })],
    ['image-url', said({ type: 'image', source: { type: 'url', url: 'http://host/secret' } })],
    ['file-media_type', said(data('file', 'application/zip'))],
    ['input_audio', said({ type: 'other', feature: 'input_audio', value: { secret: 1 } })],
  ]
  for (const [feature, request] of table) {
    try {
      encoded(request)
      t.fail(feature)
    } catch (error) {
      t.ok(isUntranslatableRequestError(error), feature)
      t.match(error, { source: 'openai', target: 'gemini', feature })
      t.notMatch(`${String(error)}`, 'secret')
    }
  }
})

t.test('a body of its own is said again as it was, but for what stands in the path', async (t) => {
  const body = { contents: [], cachedContent: 'a', odd: 1 }
  t.strictSame(gemini.encodeRequest(gemini.decodeRequest({ ...body, model: 'chat', stream: true }), 'm'), body)
})

t.test('a last turn of the model is refused to OpenAI and to Anthropic', async (t) => {
  const contents = [{ role: 'user', parts: [{ text: 'a' }] }, { role: 'model', parts: [{ text: 'b' }] }]
  const request = gemini.decodeRequest({ contents })
  t.throws(() => openai.encodeRequest(request, 'gpt-4.1'), { message: /cannot say prefill/ })
  t.throws(() => anthropic.encodeRequest(request, 'claude-sonnet-4-5'), { message: /cannot say last-turn-assistant/ })
})

t.test('what only this dialect can say is laid over the body, and media in a bucket go as they are named', async (t) => {
  const part = (value: unknown) => ({ role: 'user' as const, content: [{ type: 'other' as const, feature: 'image_url', value }] })
  const uri = (url: string) => part({ type: 'image_url', image_url: { url } })
  const request = { stream: false, messages: [uri('gs://b/a.PNG')], responseFormat: { type: 'json-schema' as const, schema: { type: 'object' } } }
  const native = { cached_content: 'c', response_schema: { type: 'OBJECT' }, thinking_config: { thinking_budget: 1 } }
  t.strictSame(gemini.encodeRequest({ ...request, native }, 'gemini-2.5-pro'), {
    contents: [{ role: 'user', parts: [{ fileData: { mimeType: 'image/png', fileUri: 'gs://b/a.PNG' } }] }],
    generationConfig: { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT' }, thinkingConfig: { thinkingBudget: 1 } },
    cachedContent: 'c',
  })
  const refused = { name: 'UntranslatableRequestError' }
  t.throws(() => gemini.encodeRequest(request, 'gemini-2.5-pro'), { ...refused, message: /image_url/ }, 'nowhere else')
  t.throws(() => gemini.encodeRequest({ ...request, native: {}, messages: [uri('gs://b/a')] }, 'gemini-2.5-pro'), { ...refused, message: /gs-media_type/ })
  const file = part({ type: 'file', file: { file_data: 'gs://b/a', mime_type: 'audio/wav' } })
  t.match(gemini.encodeRequest({ ...request, native: {}, messages: [file] }, 'gemini-2.5-pro'), { contents: [{ parts: [{ fileData: { mimeType: 'audio/wav' } }] }] })
})
