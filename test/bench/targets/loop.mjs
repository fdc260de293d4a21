// What one writes by hand in an afternoon: try the next URL when the status is an error.
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'
import { backup, completionsUrl, limitMs, listenAndServe, primary } from './serve.mjs'

const urls = [completionsUrl(primary), completionsUrl(backup)]
const limits = limitMs === undefined ? {} : { headersTimeout: limitMs, bodyTimeout: limitMs }
const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-host' }

async function firstGood(body) {
  for (const url of urls) {
    const answer = await request(url, { method: 'POST', headers, body, ...limits }).catch(() => undefined)
    if (answer !== undefined && answer.statusCode < 400) return answer
    await answer?.body.dump()
  }
  return undefined
}

listenAndServe(createServer(async (req, res) => {
  const answer = await firstGood(await buffer(req))
  if (answer === undefined) return res.writeHead(502).end()
  res.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] })
  pipeline(answer.body, res, () => {})
}))
