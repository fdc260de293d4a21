import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const LONGEST_MS = 10_000
const POLL_MS = 2
const WAITS_MS = 1000

/** An answer that is read as text; what has been seen is looked at again with each piece. */
function reading(message) {
  let text = ''
  let looking
  message.setEncoding('utf8')
  message.on('error', () => undefined)
  const look = () => {
    if (looking?.until(text)) looking.resolve()
  }
  return {
    pause: () => message.pause(),
    sees: (until) => new Promise((resolve, reject) => {
      looking = { until, resolve }
      message.on('data', (piece) => {
        text += piece
        look()
      })
      message.on('close', () => reject(new Error(`the answer ended after '${text.slice(-300)}'`)))
    }),
  }
}

/**
 * Opens one stream on a connection of its own and leaves at a point of it. Resolves when the client's socket is closed, with
 * whether the server was waiting for the client just then.
 */
export async function abortedStream({ port, path, point, number, random, callOf, responseOf }) {
  const body = JSON.stringify({ model: point.name, stream: true, messages: [{ role: 'user', content: `stream ${number}` }] })
  const sent = request({
    port,
    path,
    host: '127.0.0.1',
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'x-soak': String(number) },
  })
  const closed = new Promise((resolve) => sent.on('close', resolve))
  const answer = new Promise((resolve, reject) => {
    sent.on('response', (message) => (message.statusCode === 200 ? resolve(reading(message)) : reject(new Error(`status ${message.statusCode}`))))
    sent.on('error', reject)
  })
  answer.catch(() => undefined)
  if (point.sendsHalf) sent.write(body.slice(0, body.length / 2))
  else sent.end(body)

  const serverWaits = async () => {
    for (let waited = 0; waited < WAITS_MS; waited += POLL_MS) {
      if (responseOf(number)?.writableNeedDrain) return true
      await pause(POLL_MS)
    }
    return false
  }
  const controller = new AbortController()
  const late = pause(LONGEST_MS, undefined, { signal: controller.signal, ref: false })
    .then(() => { throw new Error(`nothing to leave at after ${LONGEST_MS} ms`) })
  try {
    return await Promise.race([late, point.wait({ answer, called: callOf(number), random, pause, serverWaits })])
  } catch (error) {
    throw new Error(`${point.name}, stream ${number}: ${error.message}`, { cause: error })
  } finally {
    controller.abort()
    late.catch(() => undefined)
    sent.destroy()
    await closed
  }
}
