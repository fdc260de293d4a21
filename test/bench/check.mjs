import { request } from 'undici'

const DEADLINE_MS = 5000

/** One answer as a client sees it: the status, the text, and whether it ended as HTTP wants it. */
export async function answerOf(port, stream, deadlineMs = DEADLINE_MS) {
  const body = JSON.stringify({ model: 'chat', stream, messages: [{ role: 'user', content: 'Hello' }] })
  const { statusCode, body: answer } = await request(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-caller' },
    body,
    signal: AbortSignal.timeout(deadlineMs),
  })
  const chunks = []
  let whole = true
  try {
    for await (const chunk of answer) chunks.push(chunk)
  } catch {
    whole = false
  }
  return { status: statusCode, text: Buffer.concat(chunks).toString(), whole }
}

/** The model's text in an answer, streamed or not. */
export function contentOf({ text }, stream) {
  if (!stream) return JSON.parse(text).choices[0].message.content
  return dataOf(text).map((data) => data.choices?.[0]?.delta?.content ?? '').join('')
}

export const dataOf = (text) => text.split('\n\n')
  .filter((event) => event.startsWith('data: {'))
  .map((event) => JSON.parse(event.slice(6)))

/** Demands that a target hands on exactly the upstream's text, streamed and not. The upstream has eight of each answer. */
export async function checkAnswers({ upstream, direct }, target) {
  for (const [mode, stream] of [['json-1k', false], ['json-64k', false], ['burst', true]]) {
    await upstream.ask('play', [mode, mode])
    const expected = new Set()
    for (let count = 0; count < 8; count += 1) expected.add(contentOf(await answerOf(direct.port, stream), stream))
    const answer = await answerOf(target.port, stream)
    if (answer.status !== 200) throw new Error(`${target.name}: ${answer.status} in ${mode}: ${answer.text.slice(0, 300)}`)
    if (!expected.has(contentOf(answer, stream))) throw new Error(`${target.name}: altered text in ${mode}`)
  }
}
