import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createFallback, isConfigError } from '@understudy/http'
import type { Fallback } from '@understudy/http'
import Fastify from 'fastify'
import type Koa from 'koa'
import t from 'tap'

import { adminMiddleware as onExpress } from '../src/express.js'
import { adminMiddleware as onFastify } from '../src/fastify.js'
import { adminMiddleware as onKoa } from '../src/koa.js'
import { mounted, ROUTES, says } from './mounted.js'

const authorize = () => ({ actor: 'ann' })

interface Line {
  readonly message: string
  readonly fields: object
}

function made(): { readonly fallback: Fallback; readonly warnings: string[]; readonly errors: Line[] } {
  const warnings: string[] = []
  const errors: Line[] = []
  const logger = {
    debug() {}, info() {}, warn: (_fields: object, message: string) => void warnings.push(message),
    error: (fields: object, message: string) => void errors.push({ message, fields }),
  }
  return { fallback: createFallback(ROUTES, { logger }), warnings, errors }
}

/** What is wrong, as a person reads it. */
function complaint(mount: () => unknown): string {
  try {
    mount()
  } catch (error) {
    if (isConfigError(error)) return error.issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
    throw error
  }
  return 'nothing'
}

t.test('what cannot be mounted is refused at the mount, by name, with what would be right', async (t) => {
  const { fallback } = made()
  const loose = (mount: unknown, first: unknown, options?: unknown) => complaint(() => (mount as (...args: unknown[]) => unknown)(first, options))
  const right = 'expected a function: (request, host) => ({ actor }), or nothing to refuse the request'
  const first = 'make a Fallback first, and mount that one: adminMiddleware(createFallback(routes), { authorize })'
  for (const mount of [onExpress, onKoa, onFastify]) {
    t.strictSame([
      loose(mount, fallback, { authorise: authorize }),
      loose(mount, fallback, { authorize: 'x' }),
      loose(mount, fallback, { more: 1, authorize }),
      loose(mount, { chat: [says('a')] }, { authorize }),
      loose(mount, undefined),
    ], [
      "adminMiddleware.authorise: is no option; did you mean 'authorize'?",
      `adminMiddleware.authorize: is a string; ${right}`,
      'adminMiddleware.more: is no option; it must be one of authorize',
      `adminMiddleware.fallback: is no Fallback but something else, such as routes; ${first}`,
      `adminMiddleware.fallback: is missing; ${first}`,
    ])
  }
  for (const mount of [onExpress, onFastify]) t.match(loose(mount, fallback, { prefix: '/x', authorize }), /^adminMiddleware\.prefix: is Koa's alone; in Express write app\.use/)
  t.match(loose(onKoa, fallback, { prefix: 7, authorize }), /^prefix: received number/)
  t.equal(loose(onExpress, fallback, null), 'adminMiddleware: is null; expected an object with authorize')

  const app = Fastify()
  await t.rejects(Promise.resolve(app.register(onFastify(fallback), { prefix: '/x', authorize } as object)), {
    message: /register\.authorize: .*write app\.register\(adminMiddleware\(fallback, \{ authorize: \.\.\. \}\), \{ prefix: '\/chat' \}\)$/,
  })
  await app.close().catch(() => undefined)
  await fallback.close()
})

t.test('in Koa nothing of the host is taken without a prefix, which is told of once; a prefix of / takes the whole app', async (t) => {
  const { fallback, warnings } = made()
  const { default: Framework } = await import('koa-v3' as string) as { default: typeof Koa }
  const ask = async (options: object) => {
    const app = new Framework()
    app.use(onKoa(fallback, { authorize, ...options }))
    app.use((ctx) => void (ctx.body = 'the host'))
    const server = createServer(app.callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const texts = await Promise.all(['/', '/status', '/history'].map(async (path) => (await (await fetch(origin + path)).text()) === 'the host'))
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    return texts
  }
  t.strictSame(await ask({}), [true, true, true])
  t.equal(warnings.length, 1)
  t.match(warnings, [/was given no prefix.*so it serves nothing: write app\.use\(adminMiddleware\(fallback, \{ prefix: '\/understudy', authorize \}\)\)/])
  t.strictSame(await ask({ prefix: '/' }), [false, false, false])
  t.equal(warnings.length, 1)
  await fallback.close()
})

t.test('an authorize that throws, or gives neither a yes nor a no, is told of as an error, without what it said', async (t) => {
  const { fallback, errors } = made()
  const given: readonly (() => unknown)[] = [
    () => { throw new TypeError('canary') },
    () => Promise.reject(new Error('canary')),
    () => true,
    () => ['canary'],
    () => ({ actor: 5 }),
    () => ({ actor: 'canary', allowed: false }),
    () => new Error('canary'),
    () => undefined,
    () => false,
  ]
  for (const authorize of given) {
    const { url, close } = await mounted({ authorize: authorize as () => undefined, fallback })
    t.equal((await fetch(`${url}/status?canary`)).status, 403)
    await close()
  }
  const odd = 'which is neither a yes nor a no, and the request was refused; give { actor }, or nothing to refuse'
  t.strictSame(errors.map(({ message }) => message), [
    'authorize of the admin surface threw a TypeError, and the request was refused',
    'authorize of the admin surface threw an Error, and the request was refused',
    `authorize of the admin surface gave true, ${odd}`,
    `authorize of the admin surface gave a list, ${odd}`,
    `authorize of the admin surface gave an object whose \`actor\` is no name, ${odd}`,
    `authorize of the admin surface gave an object with something beside \`actor\`, ${odd}`,
    `authorize of the admin surface gave an object that is no plain one, ${odd}`,
  ])
  t.match(errors[0]?.fields, { code: 'UNDERSTUDY_AUTHORIZE', method: 'GET', path: '/status', at: [/check-options\.test/] })
  t.notMatch(JSON.stringify(errors), /canary/)
  await fallback.close()
})
