// Understudy on node:http, with one thing of it larger or switched off: see ../scale.mjs and ../features.mjs.
import { createFallback, fallbackMiddleware } from '@understudy/express'
import { createServer } from 'node:http'
import { options, routes } from './routes.mjs'
import { extra, listenAndServe } from './serve.mjs'

const [what, value] = extra
const count = Number(value)
const numbered = (length, make) => Array.from({ length }, (_, index) => make(index))
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const BARE = { report: false, exposeTrail: false, breaker: false, cooldown: false }

const chains = {
  legs: () => ({ chat: numbered(count, (index) => `primary/model-${index}`) }),
  failing: () => ({ chat: [...numbered(count, (index) => `primary/model-${index}`), 'backup/gpt-4o-mini'] }),
  routes: () => ({ ...Object.fromEntries(numbered(count - 1, (index) => [`route-${index}`, routes.chat])), ...routes }),
}

/** A live document with the same legs as the code has, that is polled like any other. */
const live = {
  source: {
    name: 'bench',
    read: ({ etag }) => Promise.resolve(etag === '1'
      ? { type: 'unchanged' }
      : { type: 'document', etag: '1', document: { version: 1, chain: routes.chat, updated_by: 'bench', reason: 'to be measured' } }),
  },
}

const features = {
  none: BARE,
  report: { ...BARE, report: true },
  trail: { ...BARE, exposeTrail: true },
  logger: { ...BARE, logger: silent },
  listener: BARE,
  health: { ...BARE, breaker: options.breaker, cooldown: true },
  live: { ...BARE, chains: live },
  all: { logger: silent, chains: live },
}

const fallback = createFallback(chains[what]?.() ?? routes, { ...options, ...(what === 'feature' ? features[value] : {}) })
if (what === 'feature' && (value === 'listener' || value === 'all')) fallback.on(() => {})

const middleware = fallbackMiddleware(fallback)

listenAndServe(createServer((req, res) => middleware(req, res, () => res.writeHead(404).end())))
