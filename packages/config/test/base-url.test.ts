import t from 'tap'
import { readBaseURL } from '../src/base-url.js'

t.test('drops trailing slashes and keeps the path', async (t) => {
  t.strictSame(readBaseURL('https://api.openai.com/v1/'), { url: 'https://api.openai.com/v1' })
  t.strictSame(readBaseURL('http://127.0.0.1:8000'), { url: 'http://127.0.0.1:8000' })
  t.strictSame(readBaseURL('HTTPS://Host:443/a//'), { url: 'https://host/a' })
})

t.test('refuses what is no base URL, without showing it', async (t) => {
  for (const [text, wrong] of [
    ['', 'is not an http'],
    ['api.openai.com/v1', 'is not an http'],
    ['ftp://host', 'is not an http'],
    ['https://user:secret@host', 'holds credentials'],
    ['https://secret@host', 'holds credentials'],
    ['https://host/v1?key=secret', 'has a query or a fragment'],
    ['https://host/v1#secret', 'has a query or a fragment'],
    ['https://host/v1/chat/completions', 'must end before /chat/completions'],
    ['https://host/v1/messages/', 'must end before /messages'],
  ] as const) {
    const read = readBaseURL(text)
    t.match('wrong' in read && read.wrong, wrong, text)
    t.notMatch('wrong' in read && read.wrong, 'secret')
  }
})
