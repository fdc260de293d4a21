import { checkSourceOptions, ConfigError } from '@understudy/http'

const AUTHORIZE = {
  authorize: {
    expected: 'a function: (request, host) => ({ actor }), or nothing to refuse the request',
    accepts: (value: unknown) => typeof value === 'function',
  },
}

const PREFIX_HINT = "is Koa's alone; in Express write app.use('/understudy', adminMiddleware(fallback, { authorize })), "
  + "in Fastify app.register(adminMiddleware(fallback, { authorize }), { prefix: '/understudy' })"

const METHODS = ['handle', 'matches', 'snapshot', 'on'] as const
const CONTROLS = ['chains', 'drills'] as const

/** Throws a `ConfigError` for what cannot be mounted: something else than a `Fallback`, or options that are none. */
export function checkAdmin(fallback: unknown, options: unknown): void {
  const found = whatIsNoFallback(fallback)
  if (found !== undefined) {
    const message = `is ${found}; make a Fallback first, and mount that one: adminMiddleware(createFallback(routes), { authorize })`
    throw new ConfigError([{ path: 'adminMiddleware.fallback', message }])
  }
  if (typeof options === 'object' && options !== null && Object.hasOwn(options, 'prefix')) {
    throw new ConfigError([{ path: 'adminMiddleware.prefix', message: PREFIX_HINT }])
  }
  checkSourceOptions('adminMiddleware', options, AUTHORIZE)
}

function whatIsNoFallback(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'missing' : `no Fallback but ${value === null ? 'null' : `a ${typeof value}`}`
  const isWhole = METHODS.every((name) => typeof Reflect.get(value, name) === 'function')
    && CONTROLS.every((name) => typeof Reflect.get(value, name) === 'object')
  return isWhole ? undefined : 'no Fallback but something else, such as routes'
}
