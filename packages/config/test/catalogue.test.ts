import t from 'tap'
import { readBaseURL } from '../src/base-url.js'
import { CATALOGUE } from '../src/catalogue.js'
import { readOllamaHost } from '../src/ollama-host.js'
import { issueOf, resolve } from './resolve.js'

t.test('holds the well-known providers, each with a base URL that can be used as it is', async (t) => {
  t.strictSame([...CATALOGUE.keys()], [
    'openai', 'openai-responses', 'anthropic', 'google', 'vertex', 'vertex-anthropic', 'bedrock',
    'bedrock-anthropic', 'azure', 'groq', 'openrouter', 'mistral', 'deepseek',
    'xai', 'together', 'fireworks', 'cerebras', 'perplexity', 'qwen', 'ollama', 'vllm', 'lmstudio',
  ])
  for (const [name, { baseURL, keyEnv, keyOptional, cloud }] of CATALOGUE) {
    if (baseURL !== undefined) t.strictSame(readBaseURL(baseURL), { url: baseURL }, name)
    t.ok(keyEnv.length > 0 || keyOptional === true || cloud !== undefined, name)
  }
})

t.test('every provider of a dialect that can be sent mounts with its variables alone', async (t) => {
  const env = {
    ...Object.fromEntries([...CATALOGUE.values()].flatMap(({ keyEnv }) => keyEnv.map((name) => [name, `key-${name}`]))),
    AZURE_OPENAI_ENDPOINT: 'https://res.openai.azure.com/',
    OPENAI_API_VERSION: '2024-10-21',
  }
  for (const [name, { dialect, baseURL, keyEnv }] of CATALOGUE) {
    if (dialect !== 'openai') {
      t.match(
        issueOf({ chat: [`${name}/m`] }, {}, { env }),
        `provider '${name}' speaks the dialect '${dialect}', which this version cannot send`,
      )
      continue
    }
    const provider = resolve({ chat: [`${name}/m`] }, {}, { env }).providers.get(name)
    t.equal(provider?.baseURL, baseURL ?? 'https://res.openai.azure.com', name)
    t.equal(provider?.credential(), keyEnv.length === 0 ? undefined : `key-${String(keyEnv[0])}`, name)
  }
})

t.test('of two variables for a key the first that is set wins', async (t) => {
  const key = (env: Record<string, string>) =>
    resolve({ chat: ['google/m'] }, {}, { env, supportedDialects: new Set(['gemini']) })
      .providers.get('google')?.credential()
  t.equal(key({ GOOGLE_API_KEY: 'a', GEMINI_API_KEY: 'b' }), 'a')
  t.equal(key({ GEMINI_API_KEY: 'b' }), 'b')
})

t.test('local providers need no key and can be elsewhere', async (t) => {
  const { providers } = resolve(
    { chat: ['ollama/a', 'vllm/b', 'lmstudio/c'] },
    { providers: { vllm: { baseURL: 'http://gpu:8000/v1/' } } },
    { env: { OLLAMA_HOST: 'gpu' } },
  )
  t.strictSame([...providers.values()].map(({ name, baseURL, credential }) => [name, baseURL, credential()]), [
    ['vllm', 'http://gpu:8000/v1', undefined],
    ['ollama', 'http://gpu:11434/v1', undefined],
    ['lmstudio', 'http://localhost:1234/v1', undefined],
  ])
})

t.test('OLLAMA_HOST is read as Ollama reads it', async (t) => {
  for (const [host, url] of [
    ['127.0.0.1', 'http://127.0.0.1:11434/v1'],
    ['gpu:9999', 'http://gpu:9999/v1'],
    [':9999', 'http://127.0.0.1:9999/v1'],
    ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
    ['[::]:9999', 'http://[::1]:9999/v1'],
    ['http://gpu:9999/', 'http://gpu:9999/v1'],
    ['https://gpu', 'https://gpu/v1'],
    ['https://gpu/ollama/v1', 'https://gpu/ollama/v1'],
  ] as const) t.equal(readOllamaHost(host), url, host)
  t.match(
    issueOf({ chat: ['ollama/m'] }, {}, { env: { OLLAMA_HOST: 'a b' } }),
    "the environment variable OLLAMA_HOST is 'http://a b', which is not an http",
  )
})
