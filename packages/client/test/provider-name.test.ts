import t from 'tap'

import { providerNameOf } from '../src/provider-name.js'

t.test('a well-known base URL has the name of its provider, any other one that of its host', async (t) => {
  t.strictSame(
    [
      'https://api.openai.com/v1',
      'https://api.groq.com/openai/v1',
      'https://openrouter.ai/api/v1',
      'https://api.anthropic.com',
      'http://localhost:11434/v1',
      'https://eu.api.openai.com/v1',
      'http://127.0.0.1:4010/v1',
      'none',
      undefined,
    ].map(providerNameOf),
    ['openai', 'groq', 'openrouter', 'anthropic', 'ollama', 'eu.api.openai.com', '127.0.0.1:4010', 'unnamed', 'unnamed'],
  )
})
