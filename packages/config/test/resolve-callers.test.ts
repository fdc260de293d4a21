import t from 'tap'
import { issueOf, resolve } from './resolve.js'

const ROUTES = { chat: ['openai/gpt-4o'] }

t.test('callers may name chains, nobody is known, and no model beside the routes is allowed', async (t) => {
  const { callers } = resolve(ROUTES)
  t.match(callers, { identify: undefined, authorize: undefined, chains: true, models: [] })
  t.strictSame([...callers.advanceOn], [
    'connection_error', 'timeout', 'rate_limit', 'overloaded', 'server_error', 'malformed', 'empty', 'truncated',
  ])
})

t.test('models that callers may name are legs with the settings of the options', async (t) => {
  const { callers, providers } = resolve(ROUTES, {
    timeoutMs: 9_000,
    defaults: { temperature: 0 },
    callerModels: ['groq/llama', { provider: 'openai', model: 'o3', timeoutMs: 5_000 }],
  })
  t.strictSame(
    callers.models.map(({ provider, model, limits, defaults, reasoning }) => [provider.name, model, limits, defaults, reasoning]),
    [
      ['groq', 'llama', { timeoutMs: 9_000 }, { temperature: 0 }, false],
      ['openai', 'o3', { timeoutMs: 5_000 }, { temperature: 0 }, true],
    ],
  )
  t.ok(providers.has('groq'), 'the provider can be asked')
})

t.test('what would allow more than is written, or cannot be asked, is refused with its place', async (t) => {
  const issue = (options: object) => issueOf(ROUTES, options)
  t.match(issue({ callerModels: 'openai/gpt-4o' }), /^options\.callerModels: is 'openai\/gpt-4o'; it must be a list of legs/)
  t.match(issue({ callerModels: ['openai/*'] }), /^options\.callerModels\[0\]: allows every model of the provider/)
  t.match(issue({ callerModels: ['gpt-4o'] }), /^options\.callerModels\[0\]: is 'gpt-4o'; it must be 'provider\/model'/)
  t.match(issue({ callerModels: [{ name: 'own', async *open() {} }] }), /^options\.callerModels\[0\]: is a custom leg/)
  t.match(issue({ callerModels: ['mistral/large'] }), /^options\.callerModels\[0\]: provider 'mistral' has no credentials: set MISTRAL_API_KEY/)
  t.match(issue({ identify: 'x' }), /^options\.identify: is 'x'; it must be a function/)
  t.match(issue({ authorize: true }), /^options\.authorize: is true; it must be a function/)
  t.match(issue({ callerChains: 'no' }), /^options\.callerChains: is 'no'; it must be true or false/)
  t.match(issue({ callerAdvanceOn: ['refused'] }), /^options\.callerAdvanceOn: holds 'refused'/)
  t.match(issue({ providers: { openai: { sign: 'hunter2' } } }), /^options\.providers\.openai\.sign: is a string that does not fit/)
})

t.test('a model without credentials is left out where that is allowed', async (t) => {
  const warnings: string[] = []
  const { callers } = resolve(ROUTES, { providerValidation: 'lenient', callerModels: ['mistral/large', 'groq/llama'] }, {
    warn: (code) => warnings.push(code),
  })
  t.strictSame(callers.models.map(({ model }) => model), ['llama'])
  t.strictSame(warnings, ['UNDERSTUDY_NO_CREDENTIALS'])
})

t.test('what a request says to us cannot be a parameter for a provider', async (t) => {
  for (const key of ['models', 'fallback_models', 'redundancy', 'idempotent', 'vertex', 'jev']) {
    t.match(issueOf(ROUTES, { defaults: { [key]: 1 } }), `options.defaults.${key}: cannot be a default`)
  }
})
