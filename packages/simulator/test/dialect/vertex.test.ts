import { GoogleGenAI } from '@google/genai'
import t, { type Test } from 'tap'
import { startSimulator, type Script } from '../../src/index.js'

const PLACE = '/v1/projects/p-1/locations/europe-west1/publishers'

async function started(t: Test, script: Script) {
  const simulator = await startSimulator({ script })
  t.teardown(() => simulator.close())
  return new URL(simulator.url).origin
}

async function post(url: string, body: object, headers: Record<string, string> = { authorization: 'Bearer t' }) {
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, text: await answer.text() }
}

t.test('Gemini\'s own client, set to Vertex, reads an answer and a stream', async (t) => {
  const origin = await started(t, { fallback: { answer: { text: ['a ', 'b'] } }, strict: true, apiKey: 'the-token' })
  const client = new GoogleGenAI({
    vertexai: true,
    project: 'p-1',
    location: 'europe-west1',
    googleAuthOptions: { authClient: { getRequestHeaders: async () => new Headers({ authorization: 'Bearer the-token' }) } as never },
    httpOptions: { baseUrl: origin },
  })
  const answer = await client.models.generateContent({ model: 'gemini-2.5-pro', contents: 'hi' })
  t.equal(answer.text, 'a b')
  const pieces: (string | undefined)[] = []
  for await (const { text } of await client.models.generateContentStream({ model: 'gemini-2.5-pro', contents: 'hi' })) pieces.push(text)
  t.equal(pieces.join(''), 'a b')
})

t.test('who has no token, or another one, is not let in', async (t) => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
  const messages = [{ role: 'user', content: 'hi' }]
  const strict = await started(t, { fallback: {}, strict: true })
  t.equal((await post(`${strict}${PLACE}/google/models/m:generateContent`, { contents }, {})).status, 401)
  t.equal((await post(`${strict}${PLACE}/google/models/m:generateContent`, { contents })).status, 200)
  const keyed = await started(t, { fallback: {}, apiKey: 'other' })
  t.equal((await post(`${keyed}${PLACE}/google/models/m:generateContent`, { contents })).status, 401)
  t.equal((await post(`${keyed}${PLACE}/anthropic/models/m:rawPredict`, { messages })).status, 401)
  t.equal((await post(`${keyed}${PLACE}/google/models/m:generateContent`, { contents }, { 'x-goog-api-key': 'other' })).status, 401)
})

t.test('Anthropic\'s body says its version there, and not its model', async (t) => {
  const origin = await started(t, { fallback: { answer: { text: 'a b' } }, strict: true })
  const body = { anthropic_version: 'vertex-2023-10-16', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] }
  const url = `${origin}${PLACE}/anthropic/models/claude-sonnet-4-5@20250929`
  const whole = await post(`${url}:rawPredict`, body)
  t.equal(whole.status, 200)
  t.match(JSON.parse(whole.text), { type: 'message', content: [{ type: 'text', text: 'a b' }] })
  t.match((await post(`${url}:streamRawPredict`, { ...body, stream: true })).text, /^event: message_start\n[\s\S]*event: message_stop\n/)
  t.match((await post(`${url}:rawPredict`, { ...body, anthropic_version: 'bedrock-2023-05-31' })).text, /anthropic_version: Field required/)
  t.match((await post(`${url}:rawPredict`, { ...body, model: 'm' })).text, /model: Extra inputs are not permitted/)
})
