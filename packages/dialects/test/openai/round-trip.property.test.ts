import fc from 'fast-check'
import t from 'tap'
import { callPieces, interleaved } from '../interleaved.js'
import type { Part } from '@understudy/core'
import { openai } from '@understudy/dialects'
import { replay } from '../replay.js'

const text = fc.string({ minLength: 1 })
const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/)

/** Pieces of an answer in which calls may be streamed side by side, each in as many pieces as its arguments are cut into. */
const answer = fc.record({
  thoughts: fc.array(text, { maxLength: 2 }),
  calls: fc.array(fc.record({ name: id, input: fc.dictionary(id, text, { maxKeys: 3, noNullPrototype: true }), size: fc.integer({ min: 1, max: 6 }) }), { maxLength: 3 }),
  order: fc.array(fc.oneof(fc.nat({ max: 2 }), text), { maxLength: 40 }),
  reason: fc.constantFrom('stop' as const, 'length' as const, 'tool_calls' as const, 'content_filter' as const),
  usage: fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() }),
}).map(({ thoughts, calls, order, reason, usage }): readonly Part[] => {
  const queues = calls.map((call, index) => callPieces(index, { id: `call_${index}`, ...call }))
  const said = interleaved(order, queues)
  return [
    { type: 'start', id: 'a', model: 'm' },
    ...thoughts.map((thought): Part => ({ type: 'reasoning', text: thought })),
    ...inOrder([...said, ...queues.flat()]),
    { type: 'finish', reason, raw: reason },
    { type: 'usage', usage },
  ]
})

/** Calls begin in the order of their indices: an index that comes late is read as a new one. */
function inOrder(parts: readonly Part[]): readonly Part[] {
  const begun = [...new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.index] : [])))]
  return parts.map((part) => (part.type === 'tool-call' ? { ...part, index: begun.indexOf(part.index) } : part))
}

const options = { id: 'a', created: 0, includeUsage: true }

t.test('a streamed answer says what the same answer says in one piece, however its calls are mixed', async () => {
  fc.assert(fc.property(answer, (parts) => {
    const encoder = openai.createStreamEncoder(options)
    const written = parts.map((part) => encoder.push([part]) ?? Buffer.alloc(0))
    const read = replay([Buffer.concat([...written, encoder.end()])], { codec: openai, forward: 'parts' }).parts
    const [streamed, whole] = [read, parts].map((each) => JSON.stringify(openai.encodeResponse(each, options)))
    return streamed === whole
  }), { numRuns: 200 })
})

t.test('so does an answer that is read as one document', async () => {
  fc.assert(fc.property(answer, (parts) => {
    const whole = openai.encodeResponse(parts, options)
    const read = openai.decodeResponse(Buffer.from(JSON.stringify(whole)), { status: 200 }).parts
    return JSON.stringify(openai.encodeResponse(read, options)) === JSON.stringify(whole)
  }), { numRuns: 200 })
})
