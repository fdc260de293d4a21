import t from 'tap'
import { createFallback } from '../src/create-fallback.js'
import type { InboundRequest } from '../src/inbound/request.js'
import { mountFallback } from '../src/mount-fallback.js'

const leg = {
  name: 'fixed',
  async* open() {
    yield 'here'
  },
}

const request: InboundRequest = {
  method: 'POST',
  path: '/v1/chat/completions',
  query: '',
  atRoot: false,
  headers: { 'content-type': 'application/json' },
  readBody: () => Promise.resolve({ type: 'parsed', value: { model: 'chat', messages: [{ role: 'user', content: 'hi' }] } }),
  signal: new AbortController().signal,
}

t.test('a mount of a shared Fallback keeps the options it was made with, and its own win', async (t) => {
  const fallback = createFallback({ chat: [leg] }, { exposeTrail: false })
  t.teardown(() => fallback.close())
  const trailOf = async (options?: { readonly exposeTrail: boolean }) =>
    (await mountFallback(fallback, options).handle(request)).headers['understudy-trail']

  t.equal(await trailOf(), undefined)
  t.match(await trailOf({ exposeTrail: true }), /outcome=served/)
})

t.test('a mount warns where its Fallback does, and where Node does for a Fallback of somebody else', async (t) => {
  const heard: unknown[] = []
  const note = (...said: unknown[]) => void heard.push(said)
  const logger = { debug: note, info: note, warn: note, error: note }
  const shared = createFallback({ chat: [leg] }, { logger })
  t.teardown(() => shared.close())
  mountFallback(shared).warn('A_CODE', 'shared')
  mountFallback({ chat: [leg] }, { logger }).warn('A_CODE', 'of its own')
  t.strictSame(heard, [[{ code: 'A_CODE' }, 'shared'], [{ code: 'A_CODE' }, 'of its own']])

  const warned = new Promise((resolve) => process.once('warning', resolve))
  const { matches, handle, snapshot, on, chains, drills, closing, close } = shared
  mountFallback({ matches, handle, snapshot, on, chains, drills, closing, close }).warn('A_CODE', 'foreign')
  t.match(await warned, { code: 'A_CODE', message: 'foreign' })
  t.equal(heard.length, 2)
})

t.test('what was never called, or is made already, is told so', async (t) => {
  const made = createFallback({ chat: [leg] })
  t.teardown(() => made.close())
  t.throws(() => createFallback(made as never), {
    code: 'ERR_UNDERSTUDY_CONFIG', issues: [{ path: 'routes', message: /^is a Fallback already; .*fallbackMiddleware\(fallback\)$/ }],
  })
  const nothing = (): void => undefined
  const calls: readonly (readonly [first: object, second: object, right: RegExp])[] = [
    [{ method: 'GET' }, { setHeader: nothing }, /handed to Express without being called; write app\.use\('\/chat', fallbackMiddleware\(routes\)\)$/],
    [{ req: {}, res: {}, throw: nothing }, nothing, /handed to Koa without being called; write app\.use\(fallbackMiddleware\(routes/],
    [{ addContentTypeParser: nothing }, { prefix: '/chat' }, /handed to Fastify without being called; write app\.register\(fallbackMiddleware\(routes\), /],
  ]
  for (const [first, second, message] of calls) {
    t.throws(() => mountFallback(first as never, second), { code: 'ERR_UNDERSTUDY_CONFIG', issues: [{ path: 'fallbackMiddleware', message }] })
  }
  const { fallback } = mountFallback({ req: [leg], res: [{ ...leg, name: 'other' }] })
  t.equal(fallback.snapshot().routes.length, 2, 'routes may be called so')
  await fallback.close()
})
