import t from 'tap'
import { responses } from '@understudy/dialects'

const decode = (body: Readonly<Record<string, unknown>>) => responses.decodeRequest({ model: 'm', input: 'hi', ...body })
const turns = (input: unknown, more: Readonly<Record<string, unknown>> = {}) => decode({ input, ...more }).messages
const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })

t.test('an input that is a string is the turn of a user, behind the instructions', async (t) => {
  t.strictSame(turns('hi'), [user('hi')])
  t.strictSame(turns('hi', { instructions: 'Be brief.' }), [{ role: 'system', content: [{ type: 'text', text: 'Be brief.' }] }, user('hi')])
  t.strictSame(turns('hi', { instructions: null }), [user('hi')])
  t.strictSame(turns(undefined), [])
})

t.test('items are turns: of the user and the system one each, of the model what it said in a row', async (t) => {
  const input = [
    { role: 'developer', content: 'Be kind.' },
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'One.' }, { type: 'summary_text', text: 'Two.' }], encrypted_content: 'gA' },
    { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
    { type: 'function_call', call_id: 'call_2', name: 'g', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
    { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'sun' }] },
    { role: 'assistant', content: 'Rain.' },
    { role: 'user', content: 'Thanks.' },
  ]
  t.strictSame(turns(input), [
    { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
    user('Weather?'),
    {
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'One.\n\nTwo.', signature: 'rs_1 gA' }, { type: 'text', text: 'I look.' }],
      toolCalls: [{ id: 'call_1', name: 'f', arguments: '{"a":1}' }, { id: 'call_2', name: 'g', arguments: '{}' }],
    },
    { role: 'tool', content: [{ type: 'text', text: 'rain' }], toolCallId: 'call_1' },
    { role: 'tool', content: [{ type: 'text', text: 'sun' }], toolCallId: 'call_2' },
    { role: 'assistant', content: [{ type: 'text', text: 'Rain.' }] },
    user('Thanks.'),
  ])
})

t.test('parts of content: text, images, files, and what only this API can say', async (t) => {
  const contentOf = (part: object) => turns([{ role: 'user', content: [part] }])[0]?.content[0]
  t.strictSame(contentOf({ type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' }), {
    type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' },
  })
  t.strictSame(contentOf({ type: 'input_image', image_url: 'https://host/a', detail: 'low' }), {
    type: 'image', source: { type: 'url', url: 'https://host/a' }, detail: 'low',
  })
  t.strictSame(contentOf({ type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }), {
    type: 'file', source: { type: 'base64', mediaType: 'application/pdf', data: 'AA==' }, name: 'a.pdf',
  })
  t.strictSame(contentOf({ type: 'input_file', file_url: 'https://host/a.pdf' }), { type: 'file', source: { type: 'url', url: 'https://host/a.pdf' } })
  t.match(contentOf({ type: 'input_image', file_id: 'file-1' }), { type: 'other', feature: 'input_image.file_id' })
  t.match(contentOf({ type: 'input_file', file_id: 'file-1' }), { type: 'other', feature: 'input_file.file_id' })
  t.match(contentOf({ type: 'input_audio' }), { type: 'other', feature: 'input_audio' })
  t.strictSame(turns([{ role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }])[0]?.content, [{ type: 'text', text: 'No.' }])
})

t.test('items of servers\' tools are blocks that no other dialect can say', async (t) => {
  const call = { type: 'web_search_call', id: 'ws_1', status: 'completed' }
  const output = { type: 'custom_tool_call_output', call_id: 'c', output: 'x' }
  t.strictSame(turns([call, { type: 'item_reference', id: 'rs_understudy_a0' }, output]), turns([call, output]), 'a thought that was made up says nothing')
  t.strictSame(turns([call, { id: 'msg_1' }, output]), turns([call, { type: 'item_reference', id: 'msg_1' }, output]).map((turn) => JSON.parse(JSON.stringify(turn).replace('"type":"item_reference",', '')) as typeof turn), 'its type may be left out')
  t.strictSame(turns([call, { type: 'item_reference', id: 'msg_1' }, output]), [
    { role: 'assistant', content: [
      { type: 'other', feature: 'web_search_call', value: call },
      { type: 'other', feature: 'item_reference', value: { type: 'item_reference', id: 'msg_1' } },
    ] },
    { role: 'user', content: [{ type: 'other', feature: 'custom_tool_call_output', value: output }] },
  ])
})

t.test('fields that others have words for', async (t) => {
  const schema = { type: 'object' }
  const tool = { type: 'function', name: 'f', description: 'd', parameters: schema, strict: true }
  const request = decode({
    stream: true, max_output_tokens: 99, temperature: 0.5, top_p: 0.9, parallel_tool_calls: false, tools: [tool, { ...tool, strict: null }],
    tool_choice: { type: 'function', name: 'f' }, reasoning: { effort: 'high', summary: 'auto' },
    text: { format: { type: 'json_schema', name: 'a', schema, strict: true }, verbosity: 'medium' },
  })
  t.match(request, {
    dialect: 'responses', stream: true, maxTokens: 99, temperature: 0.5, topP: 0.9, parallelToolCalls: false,
    tools: [{ name: 'f', description: 'd', parameters: schema, strict: true }, { name: 'f' }],
    toolChoice: { name: 'f' }, reasoning: true, reasoningEffort: 'high', responseFormat: { type: 'json-schema', name: 'a', schema, strict: true },
  })
  t.equal(request.unsaid, undefined)
  t.equal(request.tools?.[1]?.strict, undefined)
  t.strictSame([decode({ max_tokens: 9 }), decode({ max_tokens: 9, max_output_tokens: 8 })].map(({ maxTokens, unsaid }) => [maxTokens, unsaid]), [[9, undefined], [8, undefined]])
  t.strictSame(decode({ text: { format: { type: 'json_object' } } }).responseFormat, { type: 'json' })
  t.equal(decode({ text: { format: { type: 'text' } } }).responseFormat, undefined)
  t.strictSame([decode({ tool_choice: 'required' }).toolChoice, decode({ reasoning: { effort: 'none' } }).reasoning], ['required', false])
  t.strictSame([decode({}).reasoning, decode({ reasoning: { effort: null, summary: null } }).reasoning, decode({ reasoning: { summary: 'auto' } }).reasoning], [undefined, undefined, true])
})

t.test('what nobody else has a word for is named; what changes no answer, or says nothing, is not', async (t) => {
  const unsaid = (body: Readonly<Record<string, unknown>>) => decode(body).unsaid
  t.equal(unsaid({
    user: 'u', metadata: { a: 'b' }, service_tier: 'flex', safety_identifier: 's', prompt_cache_key: 'k', prompt_cache_retention: '24h',
    stream_options: { include_obfuscation: false }, store: false, background: false, truncation: 'disabled', top_logprobs: 0,
    context_management: [], include: ['reasoning.encrypted_content', 'web_search_call.results'], previous_response_id: null, conversation: null,
  }), undefined)
  t.strictSame(unsaid({ store: true }), ['store'])
  t.strictSame(unsaid({ extra: 1, conversation: 'conv_1', previous_response_id: 'resp_1', prompt: { id: 'p' } }), ['previous_response_id', 'conversation', 'prompt', 'extra'])
  t.strictSame(unsaid({ background: true, truncation: 'auto', max_tool_calls: 2, top_logprobs: 3 }), ['background', 'truncation', 'max_tool_calls', 'top_logprobs'])
  t.strictSame(unsaid({ include: ['message.output_text.logprobs'] }), ['include.message.output_text.logprobs'])
  t.strictSame(unsaid({ text: { verbosity: 'low' } }), ['text.verbosity'])
  t.strictSame(unsaid({ tools: [{ type: 'web_search' }, { type: 'mcp' }, { type: 'custom', name: 'c' }, { type: 'function', name: 'f', defer_loading: true }] }), [
    'tools.web_search', 'tools.mcp', 'tools.custom', 'tools.defer_loading',
  ])
  t.strictSame(unsaid({ tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }), ['tool_choice.allowed_tools'])
  t.strictSame(unsaid({ tool_choice: { type: 'web_search' } }), ['tool_choice.web_search'])
  t.equal(unsaid({ messages: [] })?.[0], 'messages')
})

t.test('an outline is read without reading the rest', async (t) => {
  t.strictSame(responses.outlineRequest({ model: 'm', stream: true, reasoning: { effort: 'low' } }), {
    model: 'm', stream: true, choices: 1, reasoning: true, includeUsage: true,
  })
  t.strictSame(responses.outlineRequest({}), { model: undefined, stream: false, choices: 1, reasoning: false, includeUsage: true })
})

t.test('a body that is anything but right is read as far as it goes', async (t) => {
  for (const input of [null, 42, {}, [null, 42, 'x', [], {}], [{ type: 7, content: 7 }], [{ role: 'user', content: [null, {}] }], [{ type: 'function_call' }], [{ type: 'reasoning' }]]) {
    t.ok(Array.isArray(turns(input)), JSON.stringify(input))
  }
  t.doesNotThrow(() => decode({ tools: 'x', tool_choice: 7, text: [], reasoning: 'high', include: {} }))
})
