// The yardstick with `.pipe()`, which is cheaper because it does not let go of the provider when the client leaves.
import { createServer } from 'node:http'
import { request } from 'undici'
import { passedOn } from './pass-headers.mjs'
import { completionsUrl, listenAndServe, primary } from './serve.mjs'

const url = completionsUrl(primary)

listenAndServe(createServer(async (req, res) => {
  const answer = await request(url, { method: 'POST', headers: passedOn(req.headers), body: req })
  res.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] })
  answer.body.pipe(res)
}))
