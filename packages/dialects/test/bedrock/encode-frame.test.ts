import t from 'tap'
import { anthropic, encodeFrame } from '@understudy/dialects'
import { recordedBytes } from '../../../../test/kit/recorded.js'
import { replay } from '../replay.js'

t.test('an event keeps its name and its text', async (t) => {
  t.equal(encodeFrame({ type: 'event', name: 'messageStart', text: '{"role":"assistant"}' }), 'event: messageStart\ndata: {"role":"assistant"}\n\n')
  t.equal(encodeFrame({ type: 'event', name: 'a', text: '{\n"b":1}' }), 'event: a\ndata: {\ndata: "b":1}\n\n', 'also over several lines')
  t.equal(encodeFrame({ type: 'event', name: 'a\nevent: error', text: '{}' }), 'event: aevent: error\ndata: {}\n\n', 'a name stays in its line')
})

t.test('a chunk of another vendor\'s stream is that vendor\'s own event', async (t) => {
  const chunk = (text: string) => encodeFrame({ type: 'event', name: 'chunk', text: JSON.stringify({ bytes: Buffer.from(text).toString('base64'), p: 'abc' }) })
  t.equal(chunk('{"type":"ping"}'), 'event: ping\ndata: {"type":"ping"}\n\n')
  t.equal(chunk('{"generation":"x"}'), 'data: {"generation":"x"}\n\n')
  t.equal(encodeFrame({ type: 'event', name: 'chunk', text: '{}' }), 'event: chunk\ndata: {}\n\n', 'without bytes it is what it is')
  const stream = recordedBytes('anthropic/bedrock-chunks.sse')
  const { parts, bytes } = replay([stream], { codec: anthropic, look: false })
  t.strictSame(parts.map(({ type }) => type), ['start', 'usage', 'text', 'finish', 'usage', 'end'])
  t.ok(bytes.includes('event: content_block_delta'), 'and is passed on as such')
})

t.test('an exception and an error of the transport are an error with a status', async (t) => {
  const said = (frame: Parameters<typeof encodeFrame>[0]) => {
    const [, name, data = ''] = /^event: (.*)\ndata: (.*)\n\n$/.exec(encodeFrame(frame)) ?? []
    return [name, JSON.parse(data) as unknown]
  }
  t.strictSame(said({ type: 'exception', name: 'throttlingException', text: '{"message":"slow"}' }), [
    'error', { type: 'error', error: { type: 'throttlingException', message: 'slow', status: 429 } },
  ])
  t.match(said({ type: 'exception', name: 'newException', text: 'no JSON' }), ['error', { error: { message: 'no JSON', status: 500 } }])
  t.match(said({ type: 'error', name: 'InternalFailure', text: 'broken' }), ['error', { error: { type: 'InternalFailure', message: 'broken' } }])
})

t.test('Anthropic\'s reader tells the kinds of these errors apart', async (t) => {
  for (const [name, kind] of [
    ['throttlingException', 'rate_limit'], ['validationException', 'invalid_request'], ['internalServerException', 'server_error'],
    ['serviceUnavailableException', 'server_error'], ['modelTimeoutException', 'timeout'], ['modelStreamErrorException', 'server_error'],
  ] as const) {
    const event = encodeFrame({ type: 'exception', name, text: '{"message":"x"}' })
    t.match(replay([Buffer.from(event)], { codec: anthropic }).parts, [{ type: 'error', failure: { kind } }], name)
  }
})
