import t from 'tap'

import { embeddingCodecOf } from '@understudy/dialects'
import type { EmbeddingAnswer, EmbeddingAsk, EmbeddingCodec } from '@understudy/dialects'

import { recorded } from '../../../test/kit/recorded.js'

function codecOf(...[dialect, cloud, model]: Parameters<typeof embeddingCodecOf>): EmbeddingCodec {
  const codec = embeddingCodecOf(dialect, cloud, model)
  if (codec === undefined) throw new Error(`no codec for ${model}`)
  return codec
}

const ASK: EmbeddingAsk = { inputs: ['one', 'two'], dimensions: 256, parameters: { user: 'u', encoding_format: 'base64', input_type: 'search_query' } }
const BARE: EmbeddingAsk = { inputs: ['one'], dimensions: undefined, parameters: {} }

const OPENAI = codecOf('openai', undefined, 'text-embedding-3-small')
const GEMINI = codecOf('gemini', undefined, 'gemini-embedding-001')
const VERTEX = codecOf('gemini', 'vertex', 'text-embedding-005')
const TITAN = codecOf('bedrock', 'bedrock', 'amazon.titan-embed-text-v2:0')
const COHERE = codecOf('bedrock', 'bedrock', 'us.cohere.embed-v4:0')

t.test('each API is asked in its own words', async (t) => {
  t.strictSame(OPENAI.encode(ASK, 'm'), { user: 'u', encoding_format: 'base64', input_type: 'search_query', model: 'm', input: ['one', 'two'], dimensions: 256 })
  t.strictSame(OPENAI.encode(BARE, 'm'), { model: 'm', input: ['one'] })
  t.strictSame(GEMINI.encode(ASK, 'm'), {
    requests: ['one', 'two'].map((text) => ({ model: 'models/m', content: { parts: [{ text }] }, taskType: 'RETRIEVAL_QUERY', outputDimensionality: 256 })),
  })
  t.strictSame(GEMINI.encode(BARE, 'tunedModels/m'), { requests: [{ model: 'tunedModels/m', content: { parts: [{ text: 'one' }] } }] })
  t.strictSame(VERTEX.encode(ASK, 'm'), {
    instances: [{ content: 'one', task_type: 'RETRIEVAL_QUERY' }, { content: 'two', task_type: 'RETRIEVAL_QUERY' }],
    parameters: { autoTruncate: false, outputDimensionality: 256 },
  }, 'a text that is too long is refused and not cut')
  t.strictSame(TITAN.encode({ ...ASK, inputs: ['one'] }, 'm'), { inputText: 'one', dimensions: 256 })
  t.strictSame(COHERE.encode(ASK, 'm'), {
    texts: ['one', 'two'], input_type: 'search_query', truncate: 'NONE', embedding_types: ['float'], output_dimension: 256,
  })
  t.match(COHERE.encode(BARE, 'm'), { input_type: 'search_document' }, 'which the vendor wants to know')
})

t.test('how many texts a call takes, and whether a length can be asked for, is the vendor\'s', async (t) => {
  t.strictSame([OPENAI, GEMINI, VERTEX, TITAN, COHERE].map((codec) => codec.batchSize('m')), [2048, 100, 250, 1, 96])
  t.equal(VERTEX.batchSize('gemini-embedding-001'), 1)
  const fixed: readonly (readonly [EmbeddingCodec, string, boolean])[] = [
    [OPENAI, 'text-embedding-ada-002', false], [OPENAI, 'text-embedding-3-large', true], [GEMINI, 'embedding-001', false], [VERTEX, 'textembedding-gecko@003', false],
    [TITAN, 'amazon.titan-embed-text-v1', false], [TITAN, 'amazon.titan-embed-text-v2:0', true],
    [COHERE, 'cohere.embed-english-v3', false], [COHERE, 'eu.cohere.embed-v4:0', true],
  ]
  t.strictSame(fixed.map(([codec, model]) => codec.takesDimensions(model)), fixed.map(([, , takes]) => takes))
})

t.test('what an API cannot say is named before it is asked', async (t) => {
  const tokens = { ...BARE, inputs: [[1, 2]] }
  t.strictSame([OPENAI, GEMINI, VERTEX, TITAN, COHERE].map((codec) => codec.unsayable(tokens)), [undefined, ...Array.from({ length: 4 }, () => 'input-tokens')])
  t.strictSame([OPENAI, GEMINI, VERTEX, TITAN, COHERE].map((codec) => codec.unsayable(ASK)), [undefined, undefined, undefined, 'input_type', undefined])
  t.equal(GEMINI.unsayable({ ...BARE, parameters: { input_type: 'odd' } }), 'input_type')
  t.equal(COHERE.unsayable({ ...BARE, parameters: { odd: 1 } }), 'odd')
  t.equal(TITAN.unsayable({ ...BARE, parameters: { user: 'u', odd: null } }), undefined)
})

t.test('an answer is read as it is written, and what is none is none', async (t) => {
  const row = (index: number, ...embedding: readonly number[]) => ({ index, embedding })
  t.strictSame(OPENAI.decode({ data: [row(1, 3), row(0, 1, 2)], model: 'm', usage: { prompt_tokens: 3 } }, {}), { vectors: [[1, 2], [3]], tokens: 3, model: 'm' }, 'by index')
  t.strictSame(OPENAI.decode({ data: [{ embedding: 'AACAPw==' }] }, {}), { vectors: ['AACAPw=='] })
  t.strictSame(GEMINI.decode({ embeddings: [{ values: [1] }] }, {}), { vectors: [[1]] })
  const predicted = (count?: number) => ({ embeddings: { values: [1], statistics: { token_count: count } } })
  t.strictSame(VERTEX.decode({ predictions: [predicted(2), predicted(3)] }, {}), { vectors: [[1], [1]], tokens: 5 })
  t.strictSame(VERTEX.decode({ predictions: [predicted(2), predicted()] }, {}), { vectors: [[1], [1]] }, 'a sum of which a part is unknown is none')
  t.strictSame(TITAN.decode({ embedding: [1], inputTextTokenCount: 4 }, {}), { vectors: [[1]], tokens: 4 })
  const counted = { 'x-amzn-bedrock-input-token-count': '7' }
  t.strictSame(COHERE.decode({ embeddings: { float: [[1], [2]] } }, counted), { vectors: [[1], [2]], tokens: 7 })
  t.strictSame(COHERE.decode({ embeddings: [[1]] }, { 'x-amzn-bedrock-input-token-count': 'x' }), { vectors: [[1]] })
  for (const codec of [OPENAI, GEMINI, VERTEX, TITAN, COHERE]) {
    for (const odd of [undefined, null, [], {}, { data: {} }, { data: [{}] }, { embeddings: [{ values: ['1'] }] }, { predictions: [{}] }, { embedding: ['1'] }]) {
      t.equal(codec.decode(odd, {}), undefined)
    }
  }
})

t.test('the recorded answers of the vendors give their vectors in order, and what they count', async (t) => {
  const counted = { 'x-amzn-bedrock-input-token-count': '8' }
  const table: readonly (readonly [file: string, EmbeddingCodec, answer: EmbeddingAnswer | undefined, headers?: Readonly<Record<string, string>>])[] = [
    ['openai', OPENAI, {
      vectors: [[0.0023064255, -0.009327292, -0.000024017853, -0.0028842222], [-0.0069292834, 0.015797347, -0.00007, 0]],
      tokens: 8,
      model: 'text-embedding-3-small',
    }],
    ['openai-base64', OPENAI, { vectors: ['AAAAPwAAgL4AAAAAAAAAQA=='], tokens: 5, model: 'text-embedding-3-large' }],
    ['gemini-batch', GEMINI, {
      vectors: [[-0.010632273, 0.019375853, 0.020965198], [0.018467998, 0.0054281463, -0.017658738]],
      tokens: 12,
    }],
    ['gemini-batch-uncounted', GEMINI, { vectors: [[-0.010632273, 0.019375853, 0.020965198]] }],
    // The vector of one text where those of a batch were asked for may be any of them.
    ['gemini-single', GEMINI, undefined],
    ['vertex', VERTEX, {
      vectors: [
        [-0.06584116816520691, -0.01814751885831356, 0.0007072947919368744],
        [0.02923886477947235, -0.04801371321082115, 0.0017406938131898642],
      ],
      tokens: 15,
    }],
    ['vertex-camel-case', VERTEX, { vectors: [[0.25, -0.5]], tokens: 4 }],
    ['titan-v2', TITAN, { vectors: [[-0.055419922, 0.03930664, -0.0012588501]], tokens: 7 }, counted],
    ['titan-g1', TITAN, { vectors: [[0.41015625, -0.22460938, 0.14160156]], tokens: 3 }],
    ['cohere-floats', COHERE, { vectors: [[-0.0032672882, 0.0143585205, 0.02067566], [0.01802063, -0.030532837, -0.013046265]], tokens: 8 }, counted],
    ['cohere-by-type', COHERE, { vectors: [[-0.0032672882, 0.0143585205], [0.01802063, -0.030532837]] }],
  ]
  for (const [file, codec, answer, headers = {}] of table) {
    t.strictSame(codec.decode(JSON.parse(recorded(`embeddings/${file}.json`)), headers), answer, file)
  }
  const { data, ...rest } = JSON.parse(recorded('embeddings/openai.json')) as { readonly data: readonly unknown[] }
  t.strictSame(OPENAI.decode({ data: [...data].reverse(), ...rest }, {}), table[0]?.[2], 'in whatever order the rows came')
})

t.test('a vector that may be another input\'s, or that no client can read, is none', async (t) => {
  const rows = (...indexes: readonly unknown[]) => OPENAI.decode({ data: indexes.map((index, at) => ({ index, embedding: [at] })) }, {})?.vectors
  t.strictSame(rows(2, 0, 1), [[1], [2], [0]])
  t.strictSame(rows(undefined, null, undefined), [[0], [1], [2]], 'without an index they are in order')
  for (const odd of [[0, 0], [5, 6], [-1, 1], [-1, 0], [0.5, 1], ['0', 1], [1, undefined], [0, 2]]) t.equal(rows(...odd), undefined, JSON.stringify(odd))
  const packed = (...values: readonly number[]) => Buffer.from(new Float32Array(values).buffer).toString('base64')
  t.strictSame(OPENAI.decode({ data: [{ embedding: packed(1, -2.5) }] }, {})?.vectors, [packed(1, -2.5)])
  for (const odd of [packed(1, NaN), packed(Infinity, 1), packed(-Infinity), `${packed(1, 2)}!!!!`, 'AAA', '', [1, 1e300], [NaN], [-Infinity]]) {
    t.equal(OPENAI.decode({ data: [{ embedding: odd }] }, {}), undefined, String(odd))
  }
  for (const odd of [[1, Infinity], [1e39], [NaN]]) {
    t.equal(GEMINI.decode({ embeddings: [{ values: odd }] }, {}), undefined)
    t.equal(VERTEX.decode({ predictions: [{ embeddings: { values: odd } }] }, {}), undefined)
    t.equal(TITAN.decode({ embedding: odd }, {}), undefined)
    t.equal(COHERE.decode({ embeddings: { float: [odd] } }, {}), undefined)
  }
})

t.test('what makes no vectors has no codec', async (t) => {
  t.equal(embeddingCodecOf('anthropic', undefined, 'm'), undefined)
  t.equal(embeddingCodecOf('responses', undefined, 'm'), undefined)
  t.equal(embeddingCodecOf('bedrock', 'bedrock', 'amazon.nova-pro-v1:0'), undefined)
  t.equal(embeddingCodecOf('bedrock', 'bedrock', 'arn:aws:bedrock:eu-west-1::foundation-model/cohere.embed-english-v3')?.dialect, 'bedrock')
})
