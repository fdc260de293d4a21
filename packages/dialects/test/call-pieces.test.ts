import type { Part } from '@understudy/core'
import { anthropic, gemini, openai, responses, type DialectCodec } from '@understudy/dialects'
import t from 'tap'
import { chunk, DONE, replay } from './replay.js'

const OPTIONS = { id: 'a', created: 1, includeUsage: true, model: 'm' }
const CLIENTS = [anthropic, gemini, responses] as const

function pieces(...list: readonly (readonly [index: number, name?: string | undefined, text?: string])[]): readonly Part[] {
  const chunks = list.map(([index, name, text = '']) => chunk({ tool_calls: [{ index, function: { name, arguments: text } }] }))
  return replay([Buffer.from(chunks.join('') + chunk({}, 'tool_calls') + DONE)], { forward: 'parts' }).parts
}

function written(codec: DialectCodec, parts: readonly Part[]): string {
  const encoder = codec.createStreamEncoder(OPTIONS)
  return Buffer.concat([...parts.map((part) => encoder.push([part]) ?? Buffer.alloc(0)), encoder.end()]).toString()
}

/** The calls of a whole answer, which each dialect reads from its own words. */
function callsIn(codec: DialectCodec, parts: readonly Part[]): readonly unknown[] {
  const body = Buffer.from(JSON.stringify(codec.encodeResponse(parts, OPTIONS)))
  return callsOf(codec.decodeResponse(body, { status: 200 }).parts)
}

/** The calls of a stream, read back the same way. */
function streamedCalls(codec: DialectCodec, parts: readonly Part[]): readonly unknown[] {
  return callsOf(replay([Buffer.from(written(codec, parts))], { codec, forward: 'parts' }).parts)
}

function callsOf(parts: readonly Part[]): readonly unknown[] {
  const calls = new Map<number, { name: string, text: string }>()
  for (const part of parts) {
    if (part.type !== 'tool-call') continue
    const { name, text } = calls.get(part.index) ?? { name: '', text: '' }
    calls.set(part.index, { name: name + (part.name ?? ''), text: text + part.arguments })
  }
  return [...calls.values()].map(({ name, text }) => `${name}${text}`)
}

t.test('a name that comes in pieces is one name to the clients of every dialect, and one that comes again is said once', async (t) => {
  const table: readonly (readonly [string, readonly Part[], readonly string[]])[] = [
    ['in pieces', pieces([0, 'get_'], [0, 'wea'], [0, 'ther', '{"x"'], [0, undefined, ':1}']), ['get_weather{"x":1}']],
    ['in pieces, and nothing behind', pieces([0, 'get_'], [0, 'time']), ['get_time{}']],
    ['side by side', pieces([0, 'get_'], [0, 'a'], [1, 'set_'], [1, 'b', '{}'], [0, undefined, '{}']), ['get_a{}', 'set_b{}']],
    ['with each piece', pieces([0, 'f'], [0, 'f', '{"x"'], [0, 'f', ':1}']), ['f{"x":1}']],
    ['growing', pieces([0, 'get_'], [0, 'get_a'], [0, 'get_a', '{}']), ['get_a{}']],
  ]
  for (const [name, parts, calls] of table) {
    for (const codec of CLIENTS) {
      t.strictSame(streamedCalls(codec, parts), calls, `${name}: ${codec.name}`)
      t.strictSame(callsIn(codec, parts), calls, `${name}: ${codec.name}, whole`)
    }
    t.strictSame(callsIn(openai, parts).map((call) => String(call).replace(/\w$/, '$&{}')), calls, `${name}: openai, whole`)
  }
  const repeated: readonly Part[] = ['', '{}'].map((text) => ({ type: 'tool-call', index: 0, name: 'f', arguments: text }))
  for (const codec of CLIENTS) t.strictSame(streamedCalls(codec, repeated), ['f{}'], 'by a leg in code')
})

t.test('a call whose name is known stands in front of what comes behind it', async (t) => {
  const parts: readonly Part[] = [{ type: 'tool-call', index: 0, name: 'f', arguments: '' }, { type: 'text', text: 'behind' }]
  for (const codec of [anthropic, responses]) t.match(written(codec, parts), /"name":"f".*behind/s)
})

t.test('arguments that are no object stand in one where clients take nothing else', async (t) => {
  for (const text of ['{"x":', '[1]', '5', 'null']) {
    const parts = pieces([0, 'f', text])
    const args = { arguments: text }
    t.match(gemini.encodeResponse(parts, OPTIONS), { candidates: [{ content: { parts: [{ functionCall: { name: 'f', args } }] } }] })
    t.match(written(gemini, parts), `"args":${JSON.stringify(args)}`)
    t.match(anthropic.encodeResponse(parts, OPTIONS), { content: [{ type: 'tool_use', name: 'f', input: args }] })
    t.match(responses.encodeResponse(parts, OPTIONS), { output: [{ type: 'function_call', arguments: text }] })
  }
})
