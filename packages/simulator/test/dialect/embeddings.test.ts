import t, { type Test } from 'tap'

import { startSimulator, type Script } from '@understudy/simulator'

interface Answer {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

async function start(t: Pick<Test, 'teardown'>, script: Script = { fallback: {}, strict: true }) {
  const simulator = await startSimulator({ script })
  t.teardown(() => simulator.close())
  const ask = async (path: string, body: object): Promise<Answer> => {
    const response = await fetch(`${simulator.origin}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { authorization: 'Bearer k' } })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  return { simulator, ask }
}

const INVOKE = '/model/amazon.titan-embed-text-v2%3A0/invoke'
const PREDICT = '/v1/projects/p/locations/l/publishers/google/models/text-embedding-005:predict'
const COHERE = '/model/cohere.embed-english-v3/invoke'

t.test('the same text has the same vector, whichever form it is asked in, and another has another', async (t) => {
  const { ask } = await start(t)
  const body = { model: 'm', input: ['one', 'two'], dimensions: 3 }
  const [first, second] = [await ask('/v1/embeddings', body), await ask('/v1/embeddings', body)]
  t.equal(first.text, second.text)
  const { data } = JSON.parse(first.text) as { data: { embedding: number[] }[] }
  t.notSame(data[0]?.embedding, data[1]?.embedding)
  const coded = await ask('/v1/embeddings', { ...body, encoding_format: 'base64' })
  const { data: texts } = JSON.parse(coded.text) as { data: { embedding: string }[] }
  const bytes = Buffer.from(texts[0]?.embedding ?? '', 'base64')
  t.strictSame([0, 4, 8].map((at) => bytes.readFloatLE(at)), data[0]?.embedding)
})

t.test('what the vendor would refuse is refused in its words', async (t) => {
  const { ask } = await start(t)
  const gemini = (more: object, count = 1) => ({ requests: Array.from({ length: count }, () => ({ model: 'models/m', content: { parts: [{ text: 'x' }] }, ...more })) })
  const cases: readonly [path: string, body: object, pattern: RegExp][] = [
    ['/v1/embeddings', { model: 'm', input: [] }, /'\$\.input' is invalid/],
    ['/v1/embeddings', { model: 'm', input: 'x', odd: 1 }, /Unknown parameter: 'odd'/],
    ['/v1/embeddings', { model: 'text-embedding-ada-002', input: 'x', dimensions: 3 }, /does not support specifying dimensions/],
    ['/v1beta/models/m:batchEmbedContents', gemini({}, 101), /at most 100/],
    ['/v1beta/models/m:batchEmbedContents', gemini({ model: 'models/n' }), /must match/],
    ['/v1beta/models/m:batchEmbedContents', gemini({ odd: 1 }), /Unknown name/],
    [PREDICT, { instances: Array.from({ length: 251 }, () => ({ content: 'x' })) }, /Maximum number allowed: 250/],
    [INVOKE, { inputText: 'x', dimensions: 100 }, /not a valid enum value/],
    [INVOKE, { inputText: 'x', odd: 1 }, /extraneous key \[odd\]/],
    [COHERE, { texts: ['x'] }, /required key \[input_type\]/],
    [COHERE, { texts: ['x'], input_type: 'search_query', output_dimension: 256 }, /extraneous key \[output_dimension\]/],
  ]
  for (const [path, body, pattern] of cases) {
    const { status, text } = await ask(path, body)
    t.equal(status, 400, path)
    t.match(text, pattern)
  }
})

t.test('a step\'s faults are those of every other call, and Bedrock counts in a header', async (t) => {
  const { simulator, ask } = await start(t, { models: { m: [{ status: 429 }, { empty: 'no_choices' }, { empty: 'bytes' }, { body: { own: true } }, {}] }, fallback: {} })
  const answers: unknown[] = []
  for (let call = 0; call < 4; call += 1) {
    const { status, text } = await ask('/v1/embeddings', { model: 'm', input: 'x' })
    answers.push([status, text.slice(0, 12)])
  }
  t.strictSame(answers, [[429, '{"error":{"m'], [200, '{}'], [200, ''], [200, '{"own":true}']])
  t.equal((await ask(COHERE, { texts: ['one text'], input_type: 'search_query' })).headers.get('x-amzn-bedrock-input-token-count'), '2')
  t.equal(simulator.callsOf('m').length, 4)
})
