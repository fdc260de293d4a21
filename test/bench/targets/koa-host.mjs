// A Koa app with a pass-through route written by hand.
import Koa from 'koa'
import { createServer } from 'node:http'
import { request } from 'undici'
import { passedOn } from './pass-headers.mjs'
import { completionsUrl, listenAndServe, primary } from './serve.mjs'

const url = completionsUrl(primary)
const app = new Koa()

app.use(async (ctx, next) => {
  if (ctx.method !== 'POST' || ctx.path !== '/v1/chat/completions') return next()
  const answer = await request(url, { method: 'POST', headers: passedOn(ctx.headers), body: ctx.req })
  ctx.status = answer.statusCode
  ctx.type = answer.headers['content-type']
  ctx.body = answer.body
})

listenAndServe(createServer(app.callback()))
