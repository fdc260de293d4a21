// Understudy on a bare node:http server.
import { fallbackMiddleware } from '@understudy/express'
import { createServer } from 'node:http'
import { options, routes } from './routes.mjs'
import { listenAndServe } from './serve.mjs'

const middleware = fallbackMiddleware(routes, options)

listenAndServe(createServer((req, res) => middleware(req, res, () => res.writeHead(404).end())))
