import { anthropic, gemini, openai, responses, type ProviderCodec } from '@understudy/dialects'
import fc from 'fast-check'
import t from 'tap'
import { chunk, cuttings, replay } from './replay.js'

/** An event that says one piece of text, as the providers of each dialect write it. */
const EVENTS: readonly (readonly [codec: ProviderCodec, eventOf: (text: string, place: number) => string])[] = [
  [openai, (text) => chunk({ content: text })],
  [openai, (text, place) => chunk({ reasoning_content: text }, null, { obfuscation: 'ab'.slice(0, place % 3) })],
  [anthropic, (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })],
  [anthropic, (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: text } })],
  [gemini, (text) => `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0 }], modelVersion: 'm' })}\r\n\r\n`],
  [responses, (text, place) => named({ type: 'response.output_text.delta', sequence_number: place, item_id: 'i', output_index: 0, content_index: 0, delta: text })],
]

function named(event: { readonly type: string; readonly [member: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function textsOf(reads: readonly Uint8Array[], codec: ProviderCodec, look: boolean) {
  const { parts, events } = replay(reads, { codec, forward: 'parts', look })
  return { parts: parts.filter(({ type }) => type === 'text' || type === 'reasoning'), events }
}

t.test('where the parts are wanted, texts that are looked at say what texts that are parsed say', async (t) => {
  const texts = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.constantFrom('', '"', '\\', '\n', 'x'.repeat(40))), { minLength: 2, maxLength: 12 })
  for (const [codec, eventOf] of EVENTS) {
    fc.assert(fc.property(texts, (said) => {
      const stream = said.map(eventOf).join('')
      const parsed = textsOf([Buffer.from(stream)], codec, false)
      for (const reads of cuttings(stream).slice(0, 3)) t.strictSame(textsOf(reads, codec, true), parsed)
      return true
    }), { numRuns: 30 })
  }
})

t.test('a string that was empty and holds text later is not lost', async (t) => {
  const parts = (...texts: readonly object[]) => `data: ${JSON.stringify({ candidates: [{ content: { parts: texts, role: 'model' }, index: 0 }] })}\n\n`
  const thought = (reasoning_content: string, content: string) => chunk({ content, reasoning_content })
  const streams: readonly (readonly [codec: ProviderCodec, events: readonly string[]])[] = [
    [openai, [thought('a', ''), thought('b', ''), thought('c', 'not lost'), thought('', 'd'), thought('', 'e'), thought('not lost', 'f')]],
    [gemini, [parts({ text: 'a' }, { text: '' }), parts({ text: 'b' }, { text: '' }), parts({ text: 'c' }, { text: 'not lost' })]],
    [gemini, [parts({ text: 'a', thought: true }, { text: '' }), parts({ text: 'b', thought: true }, { text: '' }), parts({ text: 'c', thought: true }, { text: 'not lost' })]],
  ]
  for (const [codec, events] of streams) {
    const stream = events.join('')
    const parsed = textsOf([Buffer.from(stream)], codec, false)
    t.match(parsed.parts.filter((part) => 'text' in part && part.text === 'not lost'), { length: codec === openai ? 2 : 1 })
    for (const reads of cuttings(stream).slice(0, 3)) t.strictSame(textsOf(reads, codec, true), parsed)
  }
})

t.test('they are not parsed', async (t) => {
  for (const [codec, eventOf] of EVENTS) {
    const stream = Array.from({ length: 20 }, (_, place) => eventOf(`word ${place}`, 5)).join('')
    const parse = t.capture(JSON, 'parse', JSON.parse)
    textsOf([Buffer.from(stream)], codec, true)
    parse.restore()
    t.ok(parse().filter(({ args: [text] }) => String(text).startsWith('{')).length < 4, codec.name)
  }
})
