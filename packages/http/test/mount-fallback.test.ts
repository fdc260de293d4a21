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
