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
  const { matches, handle, snapshot, on, close } = shared
  mountFallback({ matches, handle, snapshot, on, close }).warn('A_CODE', 'foreign')
  t.match(await warned, { code: 'A_CODE', message: 'foreign' })
  t.equal(heard.length, 2)
})
