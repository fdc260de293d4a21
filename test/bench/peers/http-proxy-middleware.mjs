// http-proxy-middleware on Express 5, upstream connections kept.
import express from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { Agent, createServer } from 'node:http'
import { listenAndServe, primary } from '../targets/serve.mjs'

const app = express()
app.use('/v1', createProxyMiddleware({
  target: primary,
  agent: new Agent({ keepAlive: true, maxSockets: Infinity, maxFreeSockets: 8192, scheduling: 'lifo' }),
  headers: { authorization: 'Bearer sk-host' },
}))

listenAndServe(createServer(app))
