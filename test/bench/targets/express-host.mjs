// An Express app with a pass-through route written by hand.
import express from 'express'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream'
import { request } from 'undici'
import { passedOn } from './pass-headers.mjs'
import { completionsUrl, listenAndServe, primary } from './serve.mjs'

const url = completionsUrl(primary)
const app = express()

app.post('/v1/chat/completions', async (req, res) => {
  const answer = await request(url, { method: 'POST', headers: passedOn(req.headers), body: req })
  res.status(answer.statusCode).set('content-type', answer.headers['content-type'])
  pipeline(answer.body, res, () => {})
})

listenAndServe(createServer(app))
