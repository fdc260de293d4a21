import t from 'tap'
import type { ChatRequest, Message } from '@understudy/core'
import { anthropic, gemini, openai, responses, type DialectCodec } from '@understudy/dialects'

const text = (role: Message['role'], value: string): Message => ({ role, content: [{ type: 'text', text: value }] })
const request = (more: Partial<ChatRequest> = {}): ChatRequest => ({ stream: false, messages: [text('user', 'hi')], ...more })
const encode = (more: Partial<ChatRequest> = {}, model = 'gpt-4.1') => responses.encodeRequest(request(more), model)
const from = (codec: DialectCodec, body: Readonly<Record<string, unknown>>, model = 'gpt-4.1') => responses.encodeRequest(codec.decodeRequest(body), model)
const hi = [{ role: 'user', content: 'hi' }]

function featureOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error instanceof Error && 'feature' in error ? error.feature : error
  }
  return undefined
}

t.test('turns are items; a plain system turn in front is the instructions', async (t) => {
  const messages: readonly Message[] = [
    text('system', 'Be brief.'),
    { role: 'user', content: [
      { type: 'text', text: 'See.' },
      { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } },
      { type: 'image', source: { type: 'url', url: 'https://host/a' }, detail: 'low' },
      { type: 'file', source: { type: 'base64', mediaType: 'application/pdf', data: 'AA==' } },
      { type: 'file', source: { type: 'url', url: 'https://host/a.pdf' }, name: 'a.pdf' },
    ] },
    { role: 'assistant', content: [{ type: 'reasoning', text: 'hm', signature: 's' }, { type: 'text', text: 'I look.' }], toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'c', name: 'f', content: [{ type: 'text', text: 'gone' }], isError: true },
    text('system', 'Be kind.'),
  ]
  t.strictSame(encode({ messages }), {
    model: 'gpt-4.1',
    instructions: 'Be brief.',
    input: [
      { role: 'user', content: [
        { type: 'input_text', text: 'See.' },
        { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
        { type: 'input_image', image_url: 'https://host/a', detail: 'low' },
        { type: 'input_file', filename: 'file', file_data: 'data:application/pdf;base64,AA==' },
        { type: 'input_file', file_url: 'https://host/a.pdf', filename: 'a.pdf' },
      ] },
      { role: 'assistant', content: 'I look.' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'Error: gone' },
      { role: 'system', content: 'Be kind.' },
    ],
  })
  t.strictSame(encode({ messages: [text('system', 'Say hi.')] }), { model: 'gpt-4.1', input: [{ role: 'system', content: 'Say hi.' }] }, 'an input there has to be')
  t.strictSame(encode({ messages: [{ role: 'assistant', content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] }, text('user', 'c')] })['input'], [
    { role: 'assistant', content: [{ type: 'output_text', text: 'a' }, { type: 'output_text', text: 'b' }] },
    { role: 'user', content: 'c' },
  ])
  const image: Message = { role: 'tool', toolCallId: 'c', content: [{ type: 'image', source: { type: 'url', url: 'https://host/a' } }] }
  t.match(encode({ messages: [image] })['input'], [{ type: 'function_call_output', output: [{ type: 'input_image' }] }])
})

t.test('fields', async (t) => {
  const schema = { type: 'object', properties: {} }
  t.strictSame(encode({
    stream: true, maxTokens: 50_000, temperature: 0.5, topP: 0.9, parallelToolCalls: false, toolChoice: { name: 'f' }, reasoning: true, reasoningEffort: 'low',
    tools: [{ name: 'f', description: 'd', parameters: schema, strict: true }, { name: 'g' }],
    responseFormat: { type: 'json-schema', schema, strict: true },
  }), {
    model: 'gpt-4.1', input: hi, stream: true, max_output_tokens: 32_768, temperature: 0.5, top_p: 0.9, parallel_tool_calls: false,
    tool_choice: { type: 'function', name: 'f' }, reasoning: { effort: 'low' },
    tools: [
      { type: 'function', name: 'f', description: 'd', parameters: schema, strict: true },
      { type: 'function', name: 'g', parameters: schema, strict: false },
    ],
    text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } },
  }, 'never more than the model writes; a function that does not say is not strict')
  t.strictSame(encode({ responseFormat: { type: 'json' }, toolChoice: 'required', parallelToolCalls: true }), {
    model: 'gpt-4.1', input: hi, text: { format: { type: 'json_object' } },
  }, 'a choice among no tools says nothing')
})

t.test('a client of another dialect has nothing kept, and thoughts of others stay behind', async (t) => {
  const body = { model: 'x', max_tokens: 100, messages: hi, thinking: { type: 'enabled', budget_tokens: 8_192 } }
  t.strictSame(from(anthropic, body, 'gpt-5'), { model: 'gpt-5', input: hi, max_output_tokens: 100, reasoning: { effort: 'medium' }, store: false })
  t.equal(from(anthropic, body)['reasoning'], undefined, 'where the model takes no effort')
  t.equal(from(openai, { messages: hi })['store'], false)
  t.equal(encode()['store'], undefined)
  const own = { model: 'x', input: hi, store: true, include: ['reasoning.encrypted_content'], tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' }, previous_response_id: 'r' }
  t.strictSame(from(responses, own, 'm'), { ...own, model: 'm' }, 'its own says all of it again')
})

t.test('what the API has no words for is refused by name', async (t) => {
  const refused = (more: Partial<ChatRequest>) => featureOf(() => encode(more))
  t.equal(refused({ stop: ['x'] }), 'stop')
  t.equal(refused({ topK: 5 }), 'top_k')
  t.equal(refused({ seed: 1 }), 'seed')
  t.equal(refused({ choices: 2 }), 'n')
  t.equal(refused({ presencePenalty: 1 }), 'presence_penalty')
  t.equal(refused({ frequencyPenalty: 1 }), 'frequency_penalty')
  t.equal(refused({ choices: 1, presencePenalty: 0, frequencyPenalty: 0 }), undefined)
  t.equal(refused({ maxTokens: 15 }), 'max_output_tokens')
  t.equal(refused({ maxTokens: 16 }), undefined)
  t.equal(refused({ messages: [] }), 'no-turn')
  t.equal(refused({ messages: [{ ...text('user', 'hi'), name: 'Bob' }] }), 'message-name')
  t.equal(refused({ messages: [{ role: 'tool', content: [] }] }), 'tool-result-id')
  const image = { type: 'image', source: { type: 'url', url: 'https://host/a' } } as const
  t.equal(refused({ messages: [{ role: 'assistant', content: [image] }] }), 'assistant-image')
  t.equal(refused({ messages: [{ role: 'system', content: [image] }, text('user', 'hi')] }), 'system-image')
  t.equal(refused({ messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'gs://b/a' } }] }] }), 'image-url')
  t.equal(refused({ messages: [{ role: 'user', content: [{ type: 'file', source: { type: 'url', url: 'gs://b/a' } }] }] }), 'file-url')
  t.equal(refused({ messages: [{ role: 'user', content: [{ type: 'other', feature: 'input_audio', value: {} }] }] }), 'input_audio')
  t.equal(featureOf(() => from(openai, { messages: hi, logit_bias: { 1: 1 } })), 'logit_bias')
  const prefill = [...hi, { role: 'assistant', content: 'I' }]
  t.equal(featureOf(() => from(anthropic, { max_tokens: 99, messages: prefill })), 'prefill')
  t.equal(featureOf(() => from(openai, { messages: prefill })), undefined, 'where it begins anew too')
})

t.test('of a response\'s own words other dialects are told by name', async (t) => {
  const refused = (codec: DialectCodec, body: object) =>
    featureOf(() => codec.encodeRequest(responses.decodeRequest({ model: 'm', input: 'hi', ...body }), 'gpt-4.1'))
  for (const codec of [openai, anthropic, gemini]) {
    t.equal(refused(codec, {}), undefined, codec.name)
    t.equal(refused(codec, { previous_response_id: 'r' }), 'previous_response_id', codec.name)
    t.equal(refused(codec, { conversation: 'c' }), 'conversation', codec.name)
    t.equal(refused(codec, { store: true }), 'store', codec.name)
    t.equal(refused(codec, { tools: [{ type: 'web_search' }] }), 'tools.web_search', codec.name)
    t.equal(refused(codec, { input: [{ role: 'user', content: 'hi' }, { type: 'web_search_call', id: 'w' }] }), 'web_search_call', codec.name)
    t.equal(refused(codec, { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }), 'input_file.file_id', codec.name)
  }
})
