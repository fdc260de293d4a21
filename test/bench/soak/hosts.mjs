import { fallbackMiddleware as onExpress } from '@understudy/express'
import { fallbackMiddleware as onFastify } from '@understudy/fastify'
import { fallbackMiddleware as onKoa } from '@understudy/koa'
import express from 'express'
import fastify from 'fastify'
import Koa from 'koa'
import { createServer } from 'node:http'

async function onServer(listener) {
  const server = createServer(listener)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, close: () => new Promise((resolve) => server.close(resolve)) }
}

/** A fallback on each framework: its server, and how to close it. */
export const hosts = {
  express: (fallback) => onServer(express().use('/chat', onExpress(fallback))),
  koa: (fallback) => onServer(new Koa().use(onKoa(fallback, { prefix: '/chat' })).callback()),
  fastify: async (fallback) => {
    const app = fastify()
    app.register(onFastify(fallback), { prefix: '/chat' })
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { server: app.server, close: () => app.close() }
  },
}
