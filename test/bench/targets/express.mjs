// Understudy on Express.
import { fallbackMiddleware } from '@understudy/express'
import express from 'express'
import { createServer } from 'node:http'
import { options, routes } from './routes.mjs'
import { listenAndServe } from './serve.mjs'

const app = express()
app.use('/v1', fallbackMiddleware(routes, options))

listenAndServe(createServer(app))
