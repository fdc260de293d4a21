// The same on the global fetch, whose body is a web stream.
import { createServer } from 'node:http'
import { Readable, pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { completionsUrl, listenAndServe, primary } from './serve.mjs'

const url = completionsUrl(primary)

listenAndServe(createServer(async (req, res) => {
  const body = await buffer(req)
  const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-host' }
  const answer = await fetch(url, { method: 'POST', headers, body })
  res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') })
  pipeline(Readable.fromWeb(answer.body), res, () => {})
}))
