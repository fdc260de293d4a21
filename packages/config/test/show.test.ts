import t from 'tap'
import { nearestName, suggestName } from '../src/nearest-name.js'
import { oneLine, quote, show } from '../src/show.js'

t.test('shows values on one line, and long ones cut', async (t) => {
  t.equal(show('a\nb'), '\'a\\nb\'')
  t.equal(show('x'.repeat(100)), `'${'x'.repeat(60)}...'`)
  t.strictSame([5, NaN, true, '', null, undefined, {}, [1], 1n].map(show), [
    '5', 'NaN', 'true', 'empty', 'null', 'undefined', 'an object', 'a list', 'a bigint',
  ])
})

t.test('what breaks a line or is not seen is escaped, everything else stays', async (t) => {
  t.equal(oneLine('a\r\n\u001b[1m\u0085\u202e\u2066\u200b\u2029\ud800 \u00e9 \u{1f600} \\n'), 'a\\r\\n\\u001b[1m\\u0085\\u202e\\u2066\\u200b\\u2029\\ud800 \u00e9 \u{1f600} \\n')
  t.equal(oneLine('\u{e0041}'), '\\udb40\\udc41')
  t.equal(quote('a\u202eb'), "'a\\u202eb'")
})

t.test('shows no text that looks like a key', async (t) => {
  for (const key of [
    'sk-proj-abcdef123', 'sk-ant-api03-xxxxxxxx', 'gsk_abcdefgh12', 'Bearer abcdefgh12', 'AIzaSyAbcdefgh12',
    'AKIAABCDEFGH1234', '0123456789abcdef0123456789abcdef', 'xai-abcdefgh1234',
    'https://x?k=0123456789abcdefabcdefab',
  ]) t.equal(quote(key), '(a text that looks like a key)', key)
  for (const word of ['openai/gpt-4o', 'firstContentTimeoutMs', 'meta-llama/Llama-3.3-70B-Instruct', 'sk-learn']) {
    t.equal(quote(word), `'${word}'`)
  }
})

t.test('suggests the nearest name, or else all', async (t) => {
  t.equal(nearestName('timeoutms', ['timeoutMs', 'idleTimeoutMs']), 'timeoutMs')
  t.equal(nearestName('qq', ['xai', 'groq']), undefined)
  t.equal(nearestName('x'.repeat(1_000_000), ['timeoutMs']), undefined)
  t.equal(suggestName('zzzzzz', ['a', 'b']), 'it must be one of a, b')
})
