import t from 'tap'
import { gemini } from '@understudy/dialects'

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]

t.test('a body is read whole, in either spelling of its fields', async (t) => {
  const body = {
    model: 'chat',
    stream: true,
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { parts: [
        { text: 'Look' },
        { inlineData: { mimeType: 'image/png', data: 'iVBO' } },
        { inlineData: { mimeType: 'application/pdf', data: 'JVBE' } },
        { fileData: { fileUri: 'https://host/a.jpg' } },
      ] },
      { role: 'model', parts: [
        { text: 'hm', thought: true, thoughtSignature: 's1' },
        { text: 'I look' },
        { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 's2' },
        { functionCall: { id: 'c', name: 'g' } },
        { functionCall: { name: 'f', args: {} } },
      ] },
      { role: 'user', parts: [
        { functionResponse: { id: 'c', name: 'g', response: { output: 'sun' } } },
        { functionResponse: { name: 'f', response: { error: 'no' } } },
        { functionResponse: { name: 'f', response: { deg: 3, ok: true } } },
        { text: 'and?' },
      ] },
    ],
    tools: [{ functionDeclarations: [
      { name: 'f', description: 'F', parameters: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } }, propertyOrdering: ['a'] } },
      { name: 'g', parametersJsonSchema: { type: 'object' } },
    ] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['g'] } },
    generationConfig: {
      temperature: 0.5, topP: 0.9, topK: 4, maxOutputTokens: 99, stopSequences: ['END'], candidateCount: 2, seed: 7,
      presencePenalty: 0.1, frequencyPenalty: 0.2, responseMimeType: 'application/json',
      responseSchema: { type: 'ARRAY', items: { type: 'INTEGER' }, maxItems: '3' },
      thinkingConfig: { thinkingBudget: 512, includeThoughts: true },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
  }
  const expected = {
    dialect: 'gemini',
    model: 'chat',
    stream: true,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [
        { type: 'text', text: 'Look' },
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'iVBO' } },
        { type: 'file', source: { type: 'base64', mediaType: 'application/pdf', data: 'JVBE' } },
        { type: 'image', source: { type: 'url', url: 'https://host/a.jpg' } },
      ] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm', signature: 's1' }, { type: 'text', text: 'I look' }, { type: 'reasoning', text: '', signature: 's2' },
        ],
        toolCalls: [
          { id: 'gemini_call_0', name: 'f', arguments: '{"a":1}' }, { id: 'c', name: 'g', arguments: '{}' }, { id: 'gemini_call_1', name: 'f', arguments: '{}' },
        ],
      },
      { role: 'tool', content: [{ type: 'text', text: 'sun' }], name: 'g', toolCallId: 'c' },
      { role: 'tool', content: [{ type: 'text', text: 'no' }], name: 'f', toolCallId: 'gemini_call_0', isError: true },
      { role: 'tool', content: [{ type: 'text', text: '{"deg":3,"ok":true}' }], name: 'f', toolCallId: 'gemini_call_1' },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
    ],
    tools: [
      { name: 'f', description: 'F', parameters: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
      { name: 'g', parameters: { type: 'object' } },
    ],
    toolChoice: { name: 'g' },
    responseFormat: { type: 'json-schema', schema: { type: 'array', items: { type: 'integer' }, maxItems: 3 } },
    maxTokens: 99,
    temperature: 0.5,
    topP: 0.9,
    topK: 4,
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    stop: ['END'],
    choices: 2,
    reasoning: true,
    reasoningBudget: 512,
  }
  t.strictSame(gemini.decodeRequest(body), { ...expected, body })
  t.strictSame(gemini.outlineRequest(body), { model: 'chat', stream: true, choices: 2, reasoning: true, includeUsage: true })
  const snake = snakeOf(body) as Record<string, unknown>
  t.strictSame(gemini.decodeRequest(snake), { ...expected, body: snake })
})

t.test('what has no neutral word is named', async (t) => {
  const table: readonly (readonly [Readonly<Record<string, unknown>>, unsaid: readonly string[] | undefined])[] = [
    [{ cachedContent: 'cachedContents/a' }, ['cachedContent']],
    [{ labels: {}, store: false, serviceTier: 'flex', safetySettings: [] }, undefined],
    [{ oddField: 1 }, ['oddField']],
    [{ generationConfig: { responseModalities: ['IMAGE'] } }, ['generationConfig.responseModalities']],
    [{ generationConfig: { responseModalities: ['TEXT'], responseLogprobs: false } }, undefined],
    [{ generationConfig: { logprobs: 3, speech_config: {} } }, ['generationConfig.logprobs', 'generationConfig.speechConfig']],
    [{ generationConfig: { responseMimeType: 'text/x.enum' } }, ['generationConfig.responseMimeType']],
    [{ tools: [{ googleSearch: {} }, { code_execution: {} }] }, ['tools.googleSearch', 'tools.codeExecution']],
    [{ tools: [{ functionDeclarations: [{ name: 'f', behavior: 'NON_BLOCKING' }] }] }, ['tools.behavior']],
    [{ toolConfig: { retrievalConfig: {} } }, ['toolConfig.retrievalConfig']],
    [
      { tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }, { name: 'h' }] }], toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f', 'g'] } } },
      ['toolConfig.allowedFunctionNames'],
    ],
  ]
  for (const [more, unsaid] of table) t.strictSame(gemini.decodeRequest({ contents, ...more }).unsaid, unsaid, JSON.stringify(more))
  const parts: readonly (readonly [part: unknown, feature: string])[] = [
    [{ fileData: { fileUri: 'gs://bucket/a.mp4', mimeType: 'video/mp4' } }, 'fileData-gs'],
    [{ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a', mimeType: 'image/png' } }, 'fileData-uploaded'],
    [{ inlineData: { mimeType: 'audio/wav', data: 'x' } }, 'audio'],
    [{ inlineData: { mimeType: 'video/mp4', data: 'x' } }, 'video'],
    [{ fileData: { fileUri: 'https://host/a.pdf' }, videoMetadata: {} }, 'videoMetadata'],
    [{ executableCode: { code: '1' } }, 'executableCode'],
    [{ functionResponse: { name: 'f', response: {}, parts: [{}] } }, 'functionResponse.parts'],
  ]
  for (const [part, feature] of parts) {
    const { messages } = gemini.decodeRequest({ contents: [{ role: 'user', parts: [part] }] })
    t.match(messages[0]?.content, [{ type: 'other', feature }], feature)
  }
})

t.test('each way to choose among tools, and to think', async (t) => {
  const choice = (config: unknown) => gemini.decodeRequest({ contents, tools: [{ functionDeclarations: [{ name: 'f' }] }], toolConfig: { functionCallingConfig: config } }).toolChoice
  t.strictSame([{ mode: 'AUTO' }, { mode: 'VALIDATED' }, { mode: 'NONE' }, { mode: 'ANY' }, {}].map(choice), ['auto', 'auto', 'none', 'required', undefined])
  const thinking = (thinkingConfig: unknown) => {
    const { reasoning, reasoningBudget, reasoningEffort } = gemini.decodeRequest({ contents, generationConfig: { thinkingConfig } })
    return [reasoning, reasoningBudget ?? reasoningEffort]
  }
  t.strictSame(thinking({ thinkingBudget: 0 }), [false, undefined])
  t.strictSame(thinking({ thinkingBudget: -1 }), [true, undefined])
  t.strictSame(thinking({ thinkingLevel: 'LOW' }), [true, 'low'])
  t.strictSame(thinking({ includeThoughts: true }), [true, undefined])
  t.strictSame(thinking({ includeThoughts: false }), [undefined, undefined])
})

t.test('no body makes the reading throw', async (t) => {
  for (const value of [null, 1, 'x', [], {}, [null], [{}], [[]], { a: { b: null } }]) {
    const keys = ['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'model', 'stream']
    t.ok(gemini.decodeRequest(Object.fromEntries(keys.map((key) => [key, value]))))
    t.ok(gemini.outlineRequest({ generationConfig: value }))
    const part = Object.fromEntries(['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse', 'thought'].map((key) => [key, value]))
    for (const [key] of Object.entries(part)) t.ok(gemini.decodeRequest({ contents: [{ role: value, parts: [{ [key]: value }] }] }))
  }
})

/** Names as the protocol has them, but for those in schemas, arguments and results. */
function snakeOf(value: unknown): unknown {
  if (Array.isArray(value)) return (value as unknown[]).map(snakeOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => {
    const isOpaque = ['args', 'response', 'parameters', 'parametersJsonSchema', 'responseSchema'].includes(key)
    return [key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), isOpaque ? member : snakeOf(member)]
  }))
}
