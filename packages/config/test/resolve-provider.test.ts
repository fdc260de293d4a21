import t from 'tap'
import { issueOf, resolve } from './resolve.js'

function provider(input: object, env?: Record<string, string>) {
  return resolve({ chat: ['p/x'] }, { providers: { p: input } }, env && { env }).providers.get('p')
}

function issue(input: unknown, env?: Record<string, string>) {
  return issueOf({ chat: ['p/x'] }, { providers: { p: input } }, env && { env })
}

const OWN = { dialect: 'openai', baseURL: 'https://eu.example/v1/' }

t.test('a provider of the host\'s own has a base URL and a key from code, environment or function', async (t) => {
  const made = provider({ ...OWN, apiKey: 'k', headers: { 'X-Team': 'a' } })
  t.equal(made?.baseURL, 'https://eu.example/v1')
  t.equal(made?.dialect, 'openai')
  t.equal(made?.azure, undefined)
  t.strictSame(made?.headers(), { 'x-team': 'a' })
  t.equal(made?.credential(), 'k')
  t.equal(provider({ ...OWN, apiKey: { env: 'EU_KEY' } }, { EU_KEY: ' k2\n' })?.credential(), 'k2', 'as files leave it')
  t.equal(provider(OWN)?.credential(), undefined, 'without a key it is asked without one')
})

t.test('a key that is written but undefined is no provider without a key', async (t) => {
  const unset = 'routes.chat[0]: provider \'p\' has no credentials: '
    + 'set its apiKey, which is undefined (or leave apiKey out for a provider that needs none)'
  t.equal(issue({ ...OWN, apiKey: undefined }), unset)
  t.match(
    issueOf({ chat: ['openai/x'] }, { providers: { openai: { apiKey: undefined } } }),
    'set its apiKey, which is undefined (or leave apiKey out for OPENAI_API_KEY)',
  )
  const warnings: string[] = []
  const lenient = { providers: { p: { ...OWN, apiKey: undefined } }, providerValidation: 'lenient' } as const
  const { routes } = resolve({ chat: ['p/x'] }, lenient, { warn: (code) => warnings.push(code) })
  t.strictSame(routes.get('chat')?.legs, [])
  t.strictSame(warnings, ['UNDERSTUDY_NO_CREDENTIALS'])
})

t.test('a key that cannot be one is told why, and not shown', async (t) => {
  for (const [apiKey, why] of [['CANARY\n', 'is a string with white space around it'], ['', 'is empty'], ['CAN\nARY', 'is a string with characters that no header can carry']] as const) {
    const said = issue({ ...OWN, apiKey })
    t.match(said, `options.providers.p.apiKey: ${why}; it must be a text without line breaks`)
    t.notMatch(said, /CAN/)
  }
})

t.test('a key that would be sent in another way than it was meant is refused', async (t) => {
  for (const [apiKey, why] of [
    ['Bearer CANARY', 'begins with the word Bearer, which is put in front where it belongs'],
    ['$CANARY', 'looks like the name of a variable, which nobody fills in'],
    ['${CANARY}', 'looks like the name of a variable, which nobody fills in'],
  ] as const) {
    t.match(issue({ ...OWN, apiKey }), `options.providers.p.apiKey: ${why}; it must be a text`)
    t.match(issue({ ...OWN, apiKey: { env: 'K' } }, { K: apiKey }), `the environment variable K ${why}`)
    t.notMatch(issue({ ...OWN, apiKey }), /CANARY/)
  }
  t.equal(provider({ ...OWN, apiKey: '$ecret' })?.credential(), '$ecret')
})

t.test('a header that the key would hide is refused', async (t) => {
  const headers = { Authorization: 'CANARY' }
  const hidden = 'would not be sent: the key of apiKey goes out under that name; leave one of the two out'
  t.equal(issue({ ...OWN, apiKey: 'k', headers }), `options.providers.p.headers.authorization: ${hidden}`)
  t.match(issue({ ...OWN, apiKey: { env: 'K' }, headers }, { K: 'k' }), 'the key of K goes out under that name')
  t.equal(issue({ ...OWN, apiKey: 'k', apiVersion: 'v1', headers: { 'api-key': 'x' } }), `options.providers.p.headers['api-key']: ${hidden}`)
  t.equal(issue({ ...OWN, apiKey: 'k', apiVersion: 'v1', headers }), '', 'Azure has the key elsewhere')
  t.equal(issue({ ...OWN, headers }), '', 'without a key it is the host that says who asks')
  t.equal(issue({ ...OWN, apiKey: () => 'k' }), '')
})

t.test('a function that gives no key fails, and never asks without one', async (t) => {
  for (const nothing of [undefined, null]) t.throws(() => provider({ ...OWN, apiKey: () => nothing })?.credential(), { message: 'apiKey gave no key' })
})

t.test('a function is asked for the key at each use', async (t) => {
  let calls = 0
  const made = provider({ ...OWN, apiKey: async () => `token-${calls += 1}` })
  t.equal(calls, 0)
  t.strictSame([await made?.credential(), await made?.credential()], ['token-1', 'token-2'])
})

t.test('the environment is read once, when the config is resolved', async (t) => {
  const env = { EU_KEY: 'before' }
  const made = provider({ ...OWN, apiKey: { env: 'EU_KEY' } }, env)
  env.EU_KEY = 'after'
  t.equal(made?.credential(), 'before')
})

t.test('an entry overrides what the catalogue says, and only that', async (t) => {
  const { providers } = resolve({ chat: ['openai/x'] }, { providers: { openai: { baseURL: 'http://proxy/v1' } } })
  t.equal(providers.get('openai')?.baseURL, 'http://proxy/v1')
  t.equal(providers.get('openai')?.credential(), 'sk-openai-test-key')
})

t.test('Azure needs an endpoint, a key and an api-version, from the environment or the entry', async (t) => {
  const endpoint = 'https://r.openai.azure.com/'
  const env = { AZURE_OPENAI_API_KEY: 'k', AZURE_OPENAI_ENDPOINT: endpoint, OPENAI_API_VERSION: 'v1' }
  const azure = resolve({ chat: ['azure/d'] }, {}, { env }).providers.get('azure')
  t.equal(azure?.baseURL, 'https://r.openai.azure.com')
  t.strictSame(azure?.azure, { apiVersion: 'v1' })
  t.match(
    issueOf({ chat: ['azure/d'] }, {}, { env: {} }),
    'set AZURE_OPENAI_API_KEY (or apiKey in options.providers), '
      + 'AZURE_OPENAI_ENDPOINT (or baseURL in options.providers), '
      + 'OPENAI_API_VERSION (or apiVersion in options.providers)',
  )
  const second = provider({ ...OWN, apiKey: 'k', apiVersion: '2024-10-21' })
  t.strictSame(second?.azure, { apiVersion: '2024-10-21' }, 'a second resource is told by its api-version')
})

t.test('a provider outside the catalogue needs dialect and base URL', async (t) => {
  t.equal(issue({}), 'options.providers.p.dialect: is missing; a provider outside the catalogue needs one of openai'
    + ' | options.providers.p.baseURL: is missing; this provider needs an http:// or https:// URL')
  t.match(
    issue({ ...OWN, dialect: 'opnai' }),
    'options.providers.p.dialect: is \'opnai\'; it must be one of openai',
  )
  t.match(
    issue({ ...OWN, dialect: 'bedrock' }),
    'options.providers.p: provider \'p\' speaks the dialect \'bedrock\', which this',
  )
})

t.test('provider names can stand in provider/model', async (t) => {
  for (const name of ['', 'a/b', 'a\nb', 'custom']) {
    t.match(issueOf({ chat: ['openai/x'] }, { providers: { [name]: OWN } }), /^options\.providers.*: the name /)
  }
})

t.test('entries are refused with what would be right', async (t) => {
  for (const [input, message] of [
    [5, 'options.providers.p: is number; it must be a plain object'.replace('number', 'a number')],
    [{ ...OWN, apikey: 'x' }, 'options.providers.p.apikey: is not known; did you mean \'apiKey\'?'],
    [{ ...OWN, apiKey: '' }, 'options.providers.p.apiKey: is empty; it must be a text'],
    [{ ...OWN, apiKey: 5 }, 'options.providers.p.apiKey: is a number that does not fit; it must be a text'],
    [
      { ...OWN, apiKey: {} },
      'options.providers.p.apiKey.env: is missing; it must be the name of an environment variable',
    ],
    [{ ...OWN, apiKey: { env: 'A', or: 'B' } }, 'options.providers.p.apiKey.or: is not known'],
    [{ ...OWN, headers: { 'a b': 'x' } }, 'options.providers.p.headers[\'a b\']: is no header name'],
    [{ ...OWN, headers: { a: '1', A: '2' } }, 'options.providers.p.headers.A: is given twice'],
    [{ ...OWN, headers: { 'Content-Length': '1' } }, 'cannot be set; it belongs to the connection'],
    ...['Expect', 'keep-alive', 'upgrade', 'te', 'trailer', 'proxy-authorization'].map((name) =>
      [{ ...OWN, headers: { [name]: '1' } }, 'cannot be set; it belongs to the connection'] as const),
    [{ ...OWN, headers: { a: 1 } }, 'options.providers.p.headers.a: has a value that does not fit'],
    [{ ...OWN, headers: ['a'] }, 'options.providers.p.headers: must be an object'],
    [{ ...OWN, apiVersion: 'a b' }, 'options.providers.p.apiVersion: is a string that does not fit'],
  ] as const) t.match(issue(input), message)
  t.match(
    issue({ ...OWN, apiKey: { env: 'K' } }, { K: 'a\nb' }),
    'the environment variable K is a string with characters that no header can carry',
  )
})

t.test('an entry that no leg uses may lack its key, but not be wrong', async (t) => {
  const unused = (input: unknown) => issueOf({ chat: ['openai/x'] }, { providers: { p: input } })
  t.equal(unused({ ...OWN, apiKey: { env: 'NOT_SET' } }), '')
  t.match(unused({ ...OWN, baseURL: 'x' }), 'options.providers.p.baseURL')
})
