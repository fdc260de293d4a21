import { request } from 'undici'

const DEADLINE_MS = 5000

/** One answer as a client sees it: the status, the text, and whether it ended as HTTP wants it. */
async function answerOf(port, stream) {
  const body = JSON.stringify({ model: 'chat', stream, messages: [{ role: 'user', content: 'Hello' }] })
  const { statusCode, body: answer } = await request(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer sk-caller' },
    body,
    signal: AbortSignal.timeout(DEADLINE_MS),
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
function contentOf({ text }, stream) {
  if (!stream) return JSON.parse(text).choices[0].message.content
  return dataOf(text).map((data) => data.choices?.[0]?.delta?.content ?? '').join('')
}

const dataOf = (text) => text.split('\n\n')
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

/** What becomes of an answer whose leg fails without saying so in its status. */
export async function checkOutcome({ upstream }, target) {
  if (!target.fallback) return 'no fallback'
  const found = []
  const ask = async (mode) => {
    await upstream.ask('play', [mode, 'burst'])
    const answer = await answerOf(target.port, true)
    return { ...answer, served: answer.status === 200 && contentOf(answer, true).length > 300 }
  }
  if (!(await ask('error-500')).served) found.push('a 500 is passed on')
  if (!(await ask('error-in-200')).served) found.push('an error inside a 200 is passed on')
  if (!(await ask('end-before-content')).served) found.push('an empty answer is passed on')
  const cut = await ask('end-after-content')
  const honest = !cut.whole || dataOf(cut.text).some((data) => data.error !== undefined)
  if (!honest) found.push('a cut answer ends as if whole')
  if (cut.text.includes('[DONE]')) found.push('a cut answer is marked as done')
  return found.length === 0 ? 'all right' : found.join('; ')
}
