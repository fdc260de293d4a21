// The yardstick: node:http, undici.request, pipe. Nothing is parsed and nothing is watched.
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { request } from 'undici'
import { passedOn } from './pass-headers.mjs'
import { completionsUrl, listenAndServe, primary } from './serve.mjs'

const url = completionsUrl(primary)

listenAndServe(createServer(async (req, res) => {
  const answer = await request(url, { method: 'POST', headers: passedOn(req.headers), body: req })
  res.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] })
  pipeline(answer.body, res, () => {})
}))
