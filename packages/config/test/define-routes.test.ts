import t from 'tap'
import { defineRoutes, type FallbackOptions, type RoutesInput } from '@understudy/config'
import { resolve } from './resolve.js'

t.test('gives back what it was given', async (t) => {
  const legs = [{ provider: 'groq', model: 'x', timeoutMs: 5 }] as const
  const input = { chat: ['openai/gpt-4o'], cheap: { legs, retries: 1 } } as const
  t.equal(defineRoutes(input), input)
  t.equal(resolve(defineRoutes(input)).routes.size, 2)
})

t.test('what cannot be right does not compile', async (t) => {
  const open = async function* () { yield 'x' }
  defineRoutes({ chat: ['openai/x', { name: 'own', open }], more: { legs: ['openai/x'], deadlineMs: false } })
  defineRoutes({ chat: { presets: { normal: ['openai/x'], local: { legs: ['openai/y'], marking: 'm' } }, active: 'local', retries: 1 } })
  // @ts-expect-error no preset `normal`
  defineRoutes({ chat: { presets: { local: ['openai/x'] } } })
  // @ts-expect-error no legs in a preset
  defineRoutes({ chat: { presets: { normal: ['openai/x'], local: [] } } })
  // @ts-expect-error a misspelt key of a preset
  defineRoutes({ chat: { presets: { normal: { legs: ['openai/x'], mark: 'm' } } } })
  // @ts-expect-error no legs
  defineRoutes({ chat: [] })
  // @ts-expect-error no legs
  defineRoutes({ chat: { legs: [] } })
  // @ts-expect-error a misspelt key of a route
  defineRoutes({ chat: { legs: ['openai/x'], advanceon: 'any' } })
  // @ts-expect-error a misspelt key of a leg
  defineRoutes({ chat: [{ provider: 'openai', model: 'x', firstContentTimeoutMS: 5 }] })
  // @ts-expect-error a misspelt value
  defineRoutes({ chat: { legs: ['openai/x'], commit: 'first' } })
  // @ts-expect-error the wrong kind of value
  defineRoutes({ chat: { legs: ['openai/x'], timeoutMs: '5s' } })
  // @ts-expect-error neither a provider's leg nor a custom one
  defineRoutes({ chat: [{ provider: 'openai' }] })
  const routes = defineRoutes({ chat: ['openai/x'] })
  // @ts-expect-error a misspelt route
  t.equal(routes.caht, undefined)
  t.ok(routes.chat)
})

t.test('plain values of the input types compile', async (t) => {
  const legs: string[] = ['openai/x']
  const routes: RoutesInput = { chat: legs, more: { legs }, presets: { presets: { normal: legs } } }
  const options: FallbackOptions = { providers: { eu: { apiKey: () => 'k' } }, proxy: 'http://x', timeoutMs: undefined }
  t.ok(routes && options)
})
