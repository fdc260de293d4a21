import t from 'tap'
import { readBaseURL } from '../src/base-url.js'

t.test('drops trailing slashes and keeps the path', async (t) => {
  t.strictSame(readBaseURL('https://api.openai.com/v1/'), { url: 'https://api.openai.com/v1' })
  t.strictSame(readBaseURL('http://127.0.0.1:8000'), { url: 'http://127.0.0.1:8000' })
  t.strictSame(readBaseURL('HTTPS://Host:443/a//'), { url: 'https://host/a' })
})

t.test('refuses what is no base URL, and shows none that may hold a secret', async (t) => {
  for (const [text, wrong] of [
    ['', 'is empty; it must be an http:// or https:// URL'],
    ['api.openai.com/v1', "is 'api.openai.com/v1', which is not an http:// or https:// URL"],
    ['/v1', "is '/v1', which is not an http:// or https:// URL"],
    ['ftp://host', "is 'ftp://host', which is not an http:// or https:// URL"],
    ['user:secret@host/v1', /^is not an http:\/\/ or https:\/\/ URL$/],
    ['host/v1?key=secret', /^is not an http:\/\/ or https:\/\/ URL$/],
    ['https://user:secret@host', 'holds credentials'],
    ['https://secret@host', 'holds credentials'],
    ['https://host/v1?key=secret', 'has a query or a fragment'],
    ['https://host/v1#secret', 'has a query or a fragment'],
    ['https://host/v1/chat/completions', 'must end before /chat/completions'],
    ['https://host/v1/messages/', 'must end before /messages'],
    ['https://generativelanguage.googleapis.com/v1beta/models', 'must end before /models, which is appended to it with the name of the model'],
    ['https://host/google/v1/models/gemini-2.5-flash:generateContent', 'must end before /models'],
  ] as const) {
    const read = readBaseURL(text)
    t.match('wrong' in read && read.wrong, wrong, text)
    t.notMatch('wrong' in read && read.wrong, 'secret')
  }
})

t.test('a path of a host that ends in models without a version is its own', async (t) => {
  // Azure's inference endpoint.
  t.strictSame(readBaseURL('https://a.services.ai.azure.com/models'), { url: 'https://a.services.ai.azure.com/models' })
  t.strictSame(readBaseURL('https://host/v1beta'), { url: 'https://host/v1beta' })
})
