// Understudy on Koa.
import { fallbackMiddleware } from '@understudy/koa'
import Koa from 'koa'
import { createServer } from 'node:http'
import { options, routes } from './routes.mjs'
import { listenAndServe } from './serve.mjs'

const app = new Koa()
app.use(fallbackMiddleware(routes, { ...options, prefix: '/v1' }))

listenAndServe(createServer(app.callback()))
