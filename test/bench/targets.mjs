/**
 * What is measured, a row each. `file` is started as a process of its own with the ports of the two legs; `host` is the row a
 * framework is compared with (the same framework, passing through by hand); `fallback` rows have a second leg;
 * `ours` rows have budgets.
 */
export const targets = [
  { name: 'raw', file: 'targets/raw.mjs', label: 'node:http + undici.request + pipe' },
  { name: 'raw-fetch', file: 'targets/raw-fetch.mjs', label: 'node:http + global fetch' },
  { name: 'loop', file: 'targets/loop.mjs', label: 'hand-written loop over undici.request', fallback: true },
  { name: 'express-host', file: 'targets/express-host.mjs', label: 'Express 5, pass-through by hand' },
  { name: 'koa-host', file: 'targets/koa-host.mjs', label: 'Koa 3, pass-through by hand' },
  { name: 'fastify-host', file: 'targets/fastify-host.mjs', label: 'Fastify 5, pass-through by hand' },
  { name: 'fallback', file: 'targets/fallback.mjs', label: 'Understudy on node:http', fallback: true, ours: true, host: 'raw' },
  { name: 'express', file: 'targets/express.mjs', label: 'Understudy on Express 5', fallback: true, ours: true, host: 'express-host' },
  { name: 'koa', file: 'targets/koa.mjs', label: 'Understudy on Koa 3', fallback: true, ours: true, host: 'koa-host' },
  { name: 'fastify', file: 'targets/fastify.mjs', label: 'Understudy on Fastify 5', fallback: true, ours: true, host: 'fastify-host' },
]

/** The load against the upstream itself: shows that the two are never the bottleneck, and what a token takes without a target. */
export const direct = { name: 'direct', label: 'upstream and client alone' }
