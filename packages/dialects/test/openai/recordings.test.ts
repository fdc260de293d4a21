import t from 'tap'
import type { Part } from '@understudy/core'
import { recorded } from '../../../../test/kit/recorded.js'
import { cuttings, replay } from '../replay.js'

function recording(name: string): string {
  return recorded(`openai/${name}.sse`)
}

const START: Part = { type: 'start', id: 'chatcmpl-A', model: 'gpt-4o-mini-2024-07-18', created: 1694268190, systemFingerprint: 'fp_44709d6fcb' }
const STOP: Part = { type: 'finish', reason: 'stop', raw: 'stop' }
const END: Part = { type: 'end' }

/** Streams as OpenAI, DeepSeek (`reasoning`) and Azure (`content-filter`) document them. */
const RECORDINGS: Readonly<Record<string, readonly Part[]>> = {
  text: [
    START,
    { type: 'text', text: 'Good' },
    { type: 'text', text: ' morning' },
    { type: 'text', text: ', "you" \u00e9\n' },
    STOP,
    END,
  ],
  usage: [
    START,
    { type: 'text', text: 'Hi' },
    { type: 'text', text: '!' },
    { type: 'finish', reason: 'length', raw: 'length' },
    { type: 'usage', usage: { inputTokens: 1117, outputTokens: 46, totalTokens: 1163, cachedInputTokens: 1024, reasoningTokens: 32 } },
    END,
  ],
  tools: [
    START,
    { type: 'tool-call', index: 0, id: 'call_1', name: 'get_weather', arguments: '' },
    { type: 'tool-call', index: 0, arguments: '{"location":' },
    { type: 'tool-call', index: 0, arguments: '"Oslo"}' },
    { type: 'tool-call', index: 1, id: 'call_2', name: 'get_time', arguments: '' },
    { type: 'tool-call', index: 1, arguments: '{}' },
    { type: 'finish', reason: 'tool_calls', raw: 'tool_calls' },
    END,
  ],
  refusal: [START, { type: 'refusal', text: 'I\'m sorry' }, { type: 'refusal', text: ', I cannot.' }, STOP, END],
  reasoning: [
    { type: 'start', id: 'a1b2', model: 'deepseek-reasoner', created: 1737000000, systemFingerprint: 'fp_5417b77867' },
    { type: 'reasoning', text: 'Nine' },
    { type: 'reasoning', text: ' is less' },
    { type: 'text', text: '9.8' },
    { type: 'text', text: ' is larger.' },
    STOP,
    { type: 'usage', usage: { inputTokens: 14, outputTokens: 300, totalTokens: 314, cachedInputTokens: 4, reasoningTokens: 210 } },
    END,
  ],
  'content-filter': [START, { type: 'text', text: 'Take' }, { type: 'finish', reason: 'content_filter', raw: 'content_filter' }, END],
}

for (const [name, parts] of Object.entries(RECORDINGS)) {
  t.test(`${name}: the same parts and bytes however it is cut`, async (t) => {
    const stream = recording(name)
    t.strictSame(replay([Buffer.from(stream)], { look: false }).parts, parts)
    // The terminator is ours to write.
    const passed = stream.replace('data: [DONE]\n\n', '')
    for (const line of ['\n', '\r\n', '\r']) {
      for (const reads of cuttings(stream.replaceAll('\n', line))) {
        t.strictSame(replay(reads, { forward: 'parts' }).parts, parts)
        const { bytes, skipped } = replay(reads)
        // Behind a lone CR the reader ends the frame itself.
        t.equal(line === '\r' ? bytes.replace(/\r\n?/g, '\n') : bytes, line === '\r' ? passed : passed.replaceAll('\n', line))
        t.equal(skipped, 0)
      }
    }
  })
}

t.test('an error in the middle ends a stream with its kind, however it is cut, and is not passed on', async (t) => {
  const stream = recording('error')
  const passed = stream.slice(0, stream.indexOf('data: {"error"'))
  for (const reads of cuttings(`${stream}${recording('text')}`)) {
    const { parts, bytes } = replay(reads)
    t.match(parts, [START, { type: 'text', text: 'Good' }, { type: 'error', failure: { kind: 'server_error', code: 'server_error' } }])
    t.equal(parts.length, 3)
    t.equal(bytes, passed)
  }
})
