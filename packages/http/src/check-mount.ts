import { ConfigError } from '@understudy/config'

import { pathUnder } from './inbound/prefix.js'
import type { InboundRequest } from './inbound/request.js'
import type { NodeRequest } from './node/read-request.js'
import type { Warn } from './warnings.js'

/** The frameworks that have an adapter. */
type Host = 'express' | 'koa' | 'fastify'

const HOST_NAMES = { express: 'Express', koa: 'Koa', fastify: 'Fastify' } as const satisfies Record<Host, string>

/** What Fastify itself reads of the second argument of `register`. */
const REGISTER_OPTIONS = ['prefix', 'logLevel', 'logSerializers']

/** The error for an adapter that was called with another framework's arguments: names the package that is right. */
export function wrongHost(adapter: Host, first: unknown, second: unknown): ConfigError {
  const host = hostOf(first, second)
  const right = host === undefined || host === adapter ? 'mount it as its README says' : `import it from '@understudy/${host}'`
  const found = host === undefined ? 'something else' : HOST_NAMES[host]
  const message = `is the one of @understudy/${adapter}, and was called by ${found}; ${right}`
  return new ConfigError([{ path: 'fallbackMiddleware', message }])
}

const RIGHT_CALLS = {
  express: "app.use('/chat', fallbackMiddleware(routes))",
  koa: "app.use(fallbackMiddleware(routes, { prefix: '/chat' }))",
  fastify: "app.register(fallbackMiddleware(routes), { prefix: '/chat' })",
} as const satisfies Record<Host, string>

/** The error for `fallbackMiddleware` itself in the place of what it gives: the framework then calls it with what a middleware gets. */
export function uncalledFault(first: unknown, second: unknown): ConfigError | undefined {
  const host = hostOf(first, second)
  if (host === undefined || (host === 'koa' && typeof member(first, 'throw') !== 'function')) return undefined
  const message = `was handed to ${HOST_NAMES[host]} without being called; write ${RIGHT_CALLS[host]}`
  return new ConfigError([{ path: 'fallbackMiddleware', message }])
}

/** The error for a `Fallback` where routes belong. */
export function routesFault(routes: unknown): ConfigError | undefined {
  if (typeof member(routes, 'handle') !== 'function' || typeof member(routes, 'matches') !== 'function') return undefined
  const message = 'is a Fallback already; call its own methods, or mount it as it is: fallbackMiddleware(fallback)'
  return new ConfigError([{ path: 'routes', message }])
}

function hostOf(first: unknown, second: unknown): Host | undefined {
  if (typeof member(first, 'addContentTypeParser') === 'function') return 'fastify'
  if (typeof member(second, 'setHeader') === 'function') return 'express'
  return typeof member(first, 'req') === 'object' && typeof member(first, 'res') === 'object' ? 'koa' : undefined
}

/**
 * The error for a plugin that was not called by Fastify, or with options in `register`'s second argument, where nobody would read
 * them. `call` = how the right one begins. Given back and not thrown: avvio takes what a plugin throws for a crash.
 */
export function registerFault(scope: unknown, options: object, call = 'fallbackMiddleware(routes'): ConfigError | undefined {
  if (typeof member(scope, 'addContentTypeParser') !== 'function') return wrongHost('fastify', scope, options)
  const strangers = Object.keys(options).filter((name) => !REGISTER_OPTIONS.includes(name))
  if (strangers.length === 0) return undefined
  return new ConfigError(strangers.map((name) => ({
    path: `register.${name}`,
    message: `only ${REGISTER_OPTIONS.join(', ')} belong there; `
      + `write app.register(${call}, { ${name}: ... }), { prefix: '/chat' })`,
  })))
}

/**
 * Tells once that requests come by a route (`app.post('/chat', ...)`) whose path is none of ours, so that they all go by.
 * `routes` = what the framework says it matched.
 */
export function createRouteWarning(warn: Warn, right: string): (routes: readonly unknown[], ours: unknown, path: string) => void {
  let warned = false
  return (routes, ours, path) => {
    if (warned || !routes.some((route) => isRouteOf(route, ours))) return
    warned = true
    const message = `Understudy was mounted on a route, and a request for ${JSON.stringify(path.slice(0, 100))} went by it: ${right}`
    warn('UNDERSTUDY_MOUNTED_ON_ROUTE', message)
  }
}

/**
 * Tells once that a prefix is wanted of paths that a mount has taken it off already. `whole` = the path as the client sent it, `path` = as it
 * comes to us.
 */
export function createPrefixWarning(warn: Warn, right: string): (prefix: string, whole: string, path: string) => void {
  let warned = false
  return (prefix, whole, path) => {
    if (warned || prefix === '' || pathUnder(prefix, whole) === undefined || pathUnder(prefix, path) !== undefined) return
    warned = true
    warn('UNDERSTUDY_PREFIX_TWICE', `a mount took ${prefix} off the path already, and the option prefix wants it there once more: ${right}`)
  }
}

/**
 * The error for a request that the host has begun to answer and then let through to us, if it is one: neither half can be a whole answer,
 * and nothing is asked for it. It is for the host's error handler, which may still close the connection; said once too.
 */
export function createBegunFault(warn: Warn): (request: InboundRequest | NodeRequest) => Error | undefined {
  let warned = false
  return (request) => {
    if (!('isBegun' in request) || !request.isBegun) return undefined
    const message = 'the host began the response and then let the request through to Understudy, so no leg was asked and it could not be answered'
    if (!warned) warn('UNDERSTUDY_RESPONSE_BEGUN', message)
    warned = true
    return new Error(message)
  }
}

/** Express keeps layers with handles on a route, @koa/router functions on a layer, which has no methods if it is no route. */
function isRouteOf(route: unknown, ours: unknown): boolean {
  const stack = member(route, 'stack')
  const methods = member(route, 'methods')
  if (!Array.isArray(stack) || (Array.isArray(methods) && methods.length === 0)) return false
  return stack.some((layer: unknown) => layer === ours || member(layer, 'handle') === ours)
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
