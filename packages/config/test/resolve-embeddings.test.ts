import t from 'tap'

import { defineRoutes } from '@understudy/config'
import { issueOf, issuesOf, resolve, type Surroundings } from './resolve.js'

const AROUND: Surroundings = { supportedDialects: new Set(['openai', 'anthropic', 'gemini', 'bedrock', 'responses']) }

function issue(written: object): string {
  return issueOf({ search: { legs: ['openai/e'], dimensions: 8, ...written } }, undefined, AROUND)
}

t.test('a route that says how long its vectors are is one of embeddings, and no other', async (t) => {
  const routes = defineRoutes({
    chat: ['openai/gpt-4.1'],
    search: {
      legs: ['openai/e', { provider: 'groq', model: 'e', dimensions: false, batchSize: 5, timeoutMs: 7, retries: 1, defaults: { user: 'l' } }],
      dimensions: 8,
      timeoutMs: 9,
      defaults: { user: 'r', input_type: 'search_query' },
    },
  })
  const options = { timeoutMs: 11, connectTimeoutMs: 12, advanceOn: 'triggers', commit: 'complete', defaults: { temperature: 0 } }
  const { routes: chat, embeddings } = resolve(routes, options, AROUND)
  t.strictSame([...chat.keys()], ['chat'])
  const search = embeddings.get('search')
  t.match(search, { name: 'search', dimensions: 8 })
  t.strictSame(search?.legs.map(({ provider, ...leg }) => ({ ...leg, provider: provider.name })), [
    {
      model: 'e', region: undefined, asksDimensions: true, batchSize: undefined, limits: { timeoutMs: 9, connectTimeoutMs: 12 },
      defaults: { user: 'r', input_type: 'search_query' }, retries: 0, price: undefined, weight: 1, path: 'routes.search.legs[0]', provider: 'openai',
    },
    {
      model: 'e', region: undefined, asksDimensions: false, batchSize: 5, limits: { timeoutMs: 7, connectTimeoutMs: 12 },
      defaults: { user: 'l', input_type: 'search_query' }, retries: 1, price: undefined, weight: 1, path: 'routes.search.legs[1]', provider: 'groq',
    },
  ])
  for (const kind of ['invalid_request', 'content_filter', 'auth_error'] as const) t.ok(search?.settings.advanceOn.has(kind), `${kind} moves on`)
})

t.test('a leg without credentials is left out with one warning, however strict the mount is', async (t) => {
  for (const providerValidation of ['strict', 'lenient']) {
    const warnings: string[] = []
    const warn = (code: string, message: string) => void warnings.push(`${code}: ${message}`)
    const routes = { search: { legs: ['mistral/a', 'mistral/b', 'openai/e'], dimensions: 8 }, other: { legs: ['mistral/a'], dimensions: 8 } }
    const { embeddings } = resolve(routes, { providerValidation }, { ...AROUND, warn })
    t.strictSame([...embeddings.values()].map(({ legs }) => legs.map(({ model }) => model)), [['e'], []])
    t.equal(warnings.length, 1)
    t.match(warnings[0], /^UNDERSTUDY_NO_CREDENTIALS: .*'mistral'.*MISTRAL_API_KEY.*legs of embeddings are left out$/)
  }
})

t.test('what cannot be is said at the mount, with what would be right', async (t) => {
  t.match(issue({ dimensions: 0 }), /^routes\.search\.dimensions: is 0; it must be a whole number above 0$/)
  t.match(issue({ dimensions: '8' }), /dimensions: is '8'/)
  t.match(issue({ legs: [] }), /legs: is .*; it must be a list of legs, at least one/)
  t.match(issue({ legs: ['gpt'] }), /legs\[0\]: is 'gpt'; it must be 'provider\/model'/)
  t.match(issue({ legs: ['openai/e', 'openai/e'] }), /legs\[1\]: is a repeated leg: it stands at position 0/)
  t.match(issue({ legs: ['opnai/e'] }), /provider 'opnai' is not known; .*openai/)
  t.match(issue({ legs: ['openai/*'] }), /vectors of two models cannot be compared/)
  t.match(issue({ legs: [{ name: 'own', open: () => undefined }] }), /open: belongs to a leg of the host's own code/)
  t.match(issue({ legs: [{ provider: 'openai', model: 'e', dimensions: 8 }] }), /legs\[0\]\.dimensions: is 8; it must be false/)
  t.match(issue({ advanceOn: 'any' }), /advanceOn: is not to be chosen here/)
  t.match(issue({ commit: 'complete' }), /commit: belongs to a route of chat completions/)
  t.match(issue({ legz: [] }), /legz: is not known; .*legs/)
  t.match(issue({ deadlineMs: 1 }), /deadlineMs/)
  t.match(issueOf({ '*': { legs: ['openai/e'], dimensions: 8 } }, undefined, AROUND), /cannot serve the rest/)
  const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }
  const legs = ['anthropic/e', 'openai-responses/e']
  t.strictSame(issuesOf({ search: { legs, dimensions: 8 } }, undefined, { ...AROUND, env }).map(({ path }) => path), ['routes.search.legs[0]', 'routes.search.legs[1]'])
})

t.test('a misspelt member does not compile', async (t) => {
  // @ts-expect-error -- no such member
  defineRoutes({ search: { legs: ['openai/e'], dimensions: 8, comit: 'x' } })
  // @ts-expect-error -- a leg at least
  defineRoutes({ search: { legs: [], dimensions: 8 } })
  t.pass()
})
