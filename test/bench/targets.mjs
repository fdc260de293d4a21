import { spawnSync } from 'node:child_process'

/**
 * What is measured, a row each. `file` is started as a process of its own with the ports of the two legs; `host` is the row a
 * framework is compared with (the same framework, passing through by hand); `fallback` rows have a second leg;
 * `ours` rows have budgets; `peer` rows need what `peers/` installs, `needs` a program on the PATH.
 */
export const targets = [
  { name: 'raw', file: 'targets/raw.mjs', label: 'node:http + undici.request + pipeline' },
  { name: 'raw-pipe', file: 'targets/raw-pipe.mjs', label: 'node:http + undici.request + .pipe()' },
  { name: 'raw-fetch', file: 'targets/raw-fetch.mjs', label: 'node:http + global fetch' },
  { name: 'loop', file: 'targets/loop.mjs', label: 'hand-written loop over undici.request', fallback: true },
  { name: 'express-host', file: 'targets/express-host.mjs', label: 'Express 5, pass-through by hand' },
  { name: 'koa-host', file: 'targets/koa-host.mjs', label: 'Koa 3, pass-through by hand' },
  { name: 'fastify-host', file: 'targets/fastify-host.mjs', label: 'Fastify 5, pass-through by hand' },
  { name: 'http-proxy-middleware', file: 'peers/http-proxy-middleware.mjs', label: 'Express 5 + http-proxy-middleware', peer: true },
  { name: 'fastify-http-proxy', file: 'peers/fastify-http-proxy.mjs', label: 'Fastify 5 + @fastify/http-proxy', peer: true },
  { name: 'portkey', file: 'peers/portkey.mjs', label: '@portkey-ai/gateway', fallback: true, peer: true },
  { name: 'ai-sdk', file: 'peers/ai-sdk.mjs', label: 'Express 5 + Vercel AI SDK + ai-fallback', fallback: true, peer: true },
  { name: 'nginx', file: 'targets/nginx.mjs', label: 'nginx, proxy_next_upstream', fallback: true, needs: 'nginx' },
  { name: 'fallback', file: 'targets/fallback.mjs', label: 'Understudy on node:http', fallback: true, ours: true, host: 'raw' },
  { name: 'express', file: 'targets/express.mjs', label: 'Understudy on Express 5', fallback: true, ours: true, host: 'express-host' },
  { name: 'koa', file: 'targets/koa.mjs', label: 'Understudy on Koa 3', fallback: true, ours: true, host: 'koa-host' },
  { name: 'fastify', file: 'targets/fastify.mjs', label: 'Understudy on Fastify 5', fallback: true, ours: true, host: 'fastify-host' },
]

/** The load against the upstream itself: shows that the two are never the bottleneck, and what a token takes without a target. */
export const direct = { name: 'direct', label: 'upstream and client alone' }

/** What budgets are about: ours, and what they are compared with. */
const inBudgets = new Set(targets.flatMap(({ ours, name, host }) => (ours ? [name, host, 'raw'] : [])))

/**
 * The rows with these names, or all, in a quick run those of the budgets; without those whose program is missing, which it says
 * loudly.
 */
export function chooseTargets(only, quick) {
  const unknown = only?.find((wanted) => !targets.some(({ name }) => name === wanted))
  if (unknown !== undefined) throw new Error(`no target '${unknown}'; there are ${targets.map(({ name }) => name).join(', ')}`)
  return targets.filter(({ name, needs }) => {
    if (only === undefined ? quick && !inBudgets.has(name) : !only.includes(name)) return false
    const there = needs === undefined || spawnSync(needs, ['-v']).error === undefined
    if (!there) process.stderr.write(`LEFT OUT: ${name}, since there is no '${needs}' on the PATH; install it and run again\n`)
    return there
  })
}
