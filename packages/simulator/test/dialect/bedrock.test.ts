import { ConverseCommand, ConverseStreamCommand, InvokeModelWithResponseStreamCommand, type ConverseStreamOutput } from '@aws-sdk/client-bedrock-runtime'
import t, { type Test } from 'tap'
import { bedrockClient } from '../../../../test/kit/bedrock-client.js'
import { startSimulator, type AwsKeys, type Script, type Step } from '../../src/index.js'

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const MODEL = 'anthropic.claude-sonnet-4-5-20250929-v1:0'
const HELLO = [{ role: 'user' as const, content: [{ text: 'hi' }] }]

async function started(t: Test, step: Step, more: Partial<Script> = {}) {
  const simulator = await startSimulator({ script: { fallback: step, ...more } })
  t.teardown(() => simulator.close())
  return new URL(simulator.url).origin
}

/** What the vendor's client makes of a stream, and why it gave up, if it did. */
async function streamed(origin: string): Promise<{ readonly events: readonly ConverseStreamOutput[]; readonly error: string | undefined }> {
  const client = bedrockClient(origin, { credentials: { ...KEYS } })
  const events: ConverseStreamOutput[] = []
  try {
    const { stream } = await client.send(new ConverseStreamCommand({ modelId: MODEL, messages: HELLO }))
    for await (const event of stream ?? []) events.push(event)
  } catch (error) {
    return { events, error: error instanceof Error ? error.name : 'no error' }
  }
  return { events, error: undefined }
}

function names(events: readonly ConverseStreamOutput[]): readonly string[] {
  return events.map((event) => Object.keys(event).join())
}

const ANSWER = {
  reasoning: ['hm'],
  text: ['a b', ' \u00e9'],
  toolCalls: [{ name: 'f', arguments: { x: 1 } }, { id: 'c2', name: 'g', arguments: '{}', pieces: ['{', '}'] }],
}

t.test('the vendor\'s client reads a whole answer and a stream of frames', async (t) => {
  const origin = await started(t, { answer: ANSWER }, { aws: KEYS, strict: true })
  const client = bedrockClient(origin, { credentials: { ...KEYS } })
  const { output, stopReason, usage } = await client.send(new ConverseCommand({ modelId: MODEL, messages: HELLO }))
  t.strictSame([output?.message?.content, stopReason, usage], [
    [
      { reasoningContent: { reasoningText: { text: 'hm', signature: `sig-${MODEL}` } } },
      { text: 'a b \u00e9' },
      { toolUse: { toolUseId: 'tooluse_0', name: 'f', input: { x: 1 } } },
      { toolUse: { toolUseId: 'c2', name: 'g', input: {} } },
    ],
    'tool_use',
    { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  ])
  const { events, error } = await streamed(origin)
  t.equal(error, undefined)
  t.strictSame(events.map((event) => Object.values(event)[0] as unknown), [
    { role: 'assistant' },
    { delta: { reasoningContent: { text: 'hm' } }, contentBlockIndex: 0 },
    { delta: { reasoningContent: { signature: `sig-${MODEL}` } }, contentBlockIndex: 0 },
    { contentBlockIndex: 0 },
    { delta: { text: 'a b' }, contentBlockIndex: 1 },
    { delta: { text: ' \u00e9' }, contentBlockIndex: 1 },
    { contentBlockIndex: 1 },
    { start: { toolUse: { toolUseId: 'tooluse_0', name: 'f' } }, contentBlockIndex: 2 },
    { delta: { toolUse: { input: '{"x":1}' } }, contentBlockIndex: 2 },
    { contentBlockIndex: 2 },
    { start: { toolUse: { toolUseId: 'c2', name: 'g' } }, contentBlockIndex: 3 },
    { delta: { toolUse: { input: '{' } }, contentBlockIndex: 3 },
    { delta: { toolUse: { input: '}' } }, contentBlockIndex: 3 },
    { contentBlockIndex: 3 },
    { stopReason: 'tool_use' },
    { usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 }, metrics: { latencyMs: 1 } },
  ])
})

t.test('a signature is made anew, and must be the same', async (t) => {
  const temporary = { ...KEYS, sessionToken: 'token/+=' }
  const origin = await started(t, { answer: { text: 'hi' } }, { aws: temporary })
  const ask = async (credentials: AwsKeys, modelId = MODEL) => {
    try {
      const { accessKeyId, secretAccessKey, sessionToken } = credentials
      const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? undefined : { sessionToken }) }
      const { stopReason } = await bedrockClient(origin, { credentials: keys }).send(new ConverseCommand({ modelId, messages: HELLO }))
      return stopReason
    } catch (error) {
      return error instanceof Error ? error.name : 'no error'
    }
  }
  t.equal(await ask(temporary), 'end_turn')
  t.equal(await ask(temporary, 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.a.b-v1:0'), 'end_turn', 'whatever stands in the path')
  t.equal(await ask({ ...temporary, secretAccessKey: 'another' }), 'InvalidSignatureException')
  t.equal(await ask({ ...temporary, accessKeyId: 'ANOTHER' }), 'UnrecognizedClientException')
  t.equal(await ask(KEYS), 'UnrecognizedClientException')

  const raw = async (headers: Record<string, string>) => {
    const answer = await fetch(`${origin}/model/m/converse`, { method: 'POST', headers, body: JSON.stringify({ messages: HELLO }) })
    return [answer.status, answer.headers.get('x-amzn-errortype')?.split(':')[0]]
  }
  t.strictSame(await raw({}), [403, 'MissingAuthenticationTokenException'])
  t.strictSame(await raw({ authorization: 'Bearer x' }), [403, 'AccessDeniedException'])
  t.strictSame(await raw({ authorization: 'AWS4-HMAC-SHA256 x' }), [403, 'IncompleteSignatureException'])
  const old = 'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20200101/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature='
  const dated = { 'x-amz-date': '20200101T000000Z', 'x-amz-security-token': 'token/+=' }
  t.strictSame(await raw({ ...dated, authorization: `${old}${'0'.repeat(64)}` }), [403, 'InvalidSignatureException'], 'too old')
})

t.test('a bearer key is compared where the script has one', async (t) => {
  const origin = await started(t, {}, { apiKey: 'ABSK-1' })
  const status = async (authorization?: string) =>
    (await fetch(`${origin}/model/m/converse`, { method: 'POST', body: '{}', headers: authorization === undefined ? {} : { authorization } })).status
  t.strictSame([await status('Bearer ABSK-1'), await status('Bearer ABSK-2'), await status(), await status('AWS4-x')], [200, 403, 403, 403])
})

t.test('every fault goes out as the vendor\'s frames would', async (t) => {
  const faulty = async (fault: Step['fault']) => streamed(await started(t, { answer: { text: ['a ', 'b ', 'c'] }, fault }))
  const thrown = await faulty({ do: 'error_event', afterEvents: 2, error: { type: 'ThrottlingException', message: 'slow' } })
  t.strictSame([names(thrown.events), thrown.error], [['messageStart', 'contentBlockDelta'], 'ThrottlingException'])
  const usual = await faulty({ do: 'error_event' })
  t.strictSame([names(usual.events), usual.error], [[], 'InternalServerException'])
  const bad = await faulty({ do: 'bad_checksum', afterEvents: 1 })
  t.strictSame([names(bad.events), bad.error], [['messageStart'], 'Error'])
  const cut = await faulty({ do: 'close', afterBytes: 200 })
  t.equal(cut.error === undefined, false, 'in the middle of a frame')
  const whole = await faulty({ do: 'end', afterEvents: 2 })
  t.strictSame(names(whole.events), ['messageStart', 'contentBlockDelta'])
})

t.test('a body is refused as the vendor would', async (t) => {
  const origin = await started(t, {}, { strict: true })
  const ask = async (body: object) => {
    const answer = await fetch(`${origin}/model/m/converse`, { method: 'POST', headers: { authorization: 'Bearer x' }, body: JSON.stringify(body) })
    const { message = 'served' } = await answer.json() as { message?: string }
    return message
  }
  const calls = [
    { role: 'user', content: [{ text: 'x' }] },
    { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'f', input: {} } }] },
  ]
  const point = { cachePoint: { type: 'default' } }
  const documentOf = (format: string) => ({ document: { format, name: 'a', source: { bytes: 'AAAA' } } })
  const toolConfig = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object' } } } }] }
  const rows: readonly (readonly [object, RegExp])[] = [
    [{ messages: HELLO }, /^served/],
    [{ messages: HELLO, model: 'm' }, /Unexpected field: model/],
    [{ messages: HELLO, inferenceConfig: { topK: 1 } }, /Unexpected field: topK/],
    [{ messages: HELLO, inferenceConfig: { temperature: 1.5 } }, /temperature/],
    [{ messages: HELLO, inferenceConfig: { maxTokens: 0 } }, /maxTokens/],
    [{ messages: HELLO, inferenceConfig: { maxTokens: 2000 }, additionalModelRequestFields: { thinking: { budget_tokens: 3000 } } }, /budget_tokens/],
    [{ messages: HELLO, system: [{ text: ' ' }] }, /system is blank/],
    [{ messages: [] }, /must start with a user/],
    [{ messages: [{ role: 'assistant', content: [{ text: 'x' }] }] }, /must start with a user/],
    [{ messages: [...HELLO, ...HELLO] }, /alternate/],
    [{ messages: [{ role: 'user', content: [] }] }, /is empty/],
    [{ messages: [{ role: 'user', content: [{ text: ' ' }] }] }, /is blank/],
    [{ messages: [{ role: 'user', content: [{ text: 'x', image: {} }] }] }, /must set one/],
    [{ messages: [{ role: 'user', content: [{ image: { format: 'bmp', source: { bytes: 'AAAA' } } }] }] }, /a format and bytes/],
    [{ messages: [{ role: 'user', content: [{ document: { format: 'pdf', name: 'a.pdf', source: { bytes: 'AAAA' } } }] }] }, /plain characters/],
    [{ messages: [{ role: 'user', content: [{ document: { format: 'pdf', name: 'a', source: { bytes: 'AAAA' } } }] }] }, /needs a text/],
    [{ messages: calls }, /toolConfig field must be defined/],
    [{ messages: [...calls, ...HELLO], toolConfig }, /Expected toolResult/],
    [{ messages: [{ role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [] } }] }], toolConfig }, /exceeds/],
    [{ messages: [{ role: 'user', content: [{ toolResult: { toolUseId: 'a.b', content: [] } }] }], toolConfig }, /toolUseId/],
    [{ messages: HELLO, toolConfig: { tools: [] } }, /at least 1/],
    [{ messages: HELLO, toolConfig: { tools: [...toolConfig.tools, point] } }, /^served/],
    [{ messages: HELLO, toolConfig: { tools: [point, ...toolConfig.tools] } }, /toolConfig\.tools/],
    [{ messages: [{ role: 'user', content: [{ text: 'x' }, documentOf('pdf'), point] }] }, /^served/],
    [{ messages: [{ role: 'user', content: [{ text: 'x' }, documentOf('txt'), point] }] }, /messages\.0\.content\.2\.type: Field required/],
    [{ messages: [{ role: 'user', content: [point, { text: 'x' }] }] }, /nothing available to cache/],
    [{ messages: [...HELLO, { role: 'assistant', content: [{ reasoningContent: { reasoningText: { text: 'hm' } } }, point] }] }, /after reasoning block/],
    [{ messages: HELLO, toolConfig: { ...toolConfig, toolChoice: { none: {} } } }, /toolChoice/],
  ]
  for (const [body, message] of rows) t.match(await ask(body), message, JSON.stringify(body).slice(0, 80))
  const unsigned = await fetch(`${origin}/model/m/converse`, { method: 'POST', body: JSON.stringify({ messages: HELLO }) })
  t.equal(unsigned.status, 403, 'nobody is let in who does not say who asks')
})

t.test('an error says its name beside its body', async (t) => {
  for (const [status, name] of [[400, 'ValidationException'], [429, 'ThrottlingException'], [500, 'InternalServerException'], [503, 'ServiceUnavailableException']] as const) {
    t.equal((await streamed(await started(t, { status }))).error, name)
  }
  const own = await streamed(await started(t, { status: 400, error: { type: 'ServiceQuotaExceededException', message: 'no more' } }))
  t.equal(own.error, 'ServiceQuotaExceededException')
})

t.test('Anthropic\'s events come in chunks, for a body that says its version and not its model', async (t) => {
  const origin = await started(t, { answer: { text: ['a ', 'b'] } }, { strict: true, aws: KEYS })
  const client = bedrockClient(origin, { credentials: { ...KEYS } })
  const body = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }
  const { body: stream } = await client.send(new InvokeModelWithResponseStreamCommand({ modelId: MODEL, body: JSON.stringify(body) }))
  const types: string[] = []
  for await (const { chunk } of stream ?? []) {
    types.push((JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()) as { type: string }).type)
  }
  t.strictSame(types, [
    'message_start', 'content_block_start', 'ping', 'content_block_delta', 'content_block_delta', 'content_block_stop', 'message_delta', 'message_stop',
  ])
  const refused = async (changed: object) => {
    try {
      await client.send(new InvokeModelWithResponseStreamCommand({ modelId: MODEL, body: JSON.stringify({ ...body, ...changed }) }))
      return 'served'
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : ''
    }
  }
  t.equal(await refused({ anthropic_version: undefined }), 'ValidationException: anthropic_version: Field required')
  t.equal(await refused({ model: 'm' }), 'ValidationException: model: Extra inputs are not permitted')
  t.equal(await refused({ stream: true }), 'ValidationException: stream: Extra inputs are not permitted')
  t.equal(await refused({ max_tokens: undefined }), 'ValidationException: max_tokens: Field required')
})
