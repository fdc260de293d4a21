import t from 'tap'
import { CATALOGUE } from '../src/catalogue.js'
import { suggestProvider } from '../src/provider-aliases.js'
import { issueOf } from './resolve.js'

const ALL = [...CATALOGUE.keys()]

t.test('a well-known other name of a provider is answered with its name here', async (t) => {
  for (const [written, meant] of [
    ['gemini', "'google'"], ['Claude', "'anthropic'"], ['gpt', "'openai'"], ['chatgpt', "'openai'"], ['aws', "'bedrock'"], ['vertexai', "'vertex'"],
    ['microsoft', "'azure'"], ['grok', "'groq' or 'xai'"], ['opnai', "'openai'"],
  ] as const) t.equal(suggestProvider(written, ALL), `did you mean ${meant}?`, written)
  t.match(suggestProvider('nobody-at-all', ALL), /^it must be one of openai, /)
  t.match(suggestProvider('gemini', ['openai', 'eu']), /^it must be one of openai, eu$/, 'what is not there is not offered')
})

t.test('a leg that says it is told so', async (t) => {
  const supportedDialects = new Set(['openai', 'gemini', 'anthropic'] as const)
  t.equal(issueOf({ chat: ['gemini/gemini-2.5-flash'] }, {}, { supportedDialects }),
    "routes.chat[0]: provider 'gemini' is not known; did you mean 'google'? (describe one of your own in options.providers)")
  t.match(issueOf({ vectors: { dimensions: 3, legs: ['gpt/x'] } }), "provider 'gpt' is not known; did you mean 'openai'?")
})
