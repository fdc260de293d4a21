import t from 'tap'
import { fillHeaderValue, isUnknownForm } from '../src/header-value.js'

t.test('fills in dates in every form that HTTP knows, and numbers', (t) => {
  const now = Date.UTC(2025, 2, 5, 7, 8, 9)
  const rows: [string, string][] = [
    ['@http-date:+2s', 'Wed, 05 Mar 2025 07:08:11 GMT'],
    ['@rfc850-date:+2s', 'Wednesday, 05-Mar-25 07:08:11 GMT'],
    ['@asctime-date:+2s', 'Wed Mar  5 07:08:11 2025'],
    ['@iso-date:-1m', '2025-03-05T07:07:09.000Z'],
    ['@epoch-seconds:+1500ms', String(now / 1_000 + 2)],
    ['plain', 'plain'],
    ['@me', '@me'],
  ]
  t.strictSame(rows.map(([value]) => fillHeaderValue(value, now)), rows.map(([, filled]) => filled))
  for (const [, date] of rows.slice(0, 3)) t.equal(Date.parse(date.endsWith('GMT') ? date : `${date} GMT`), now + 2_000)
  t.end()
})

t.test('knows a form that cannot be filled in from text with an @', (t) => {
  t.strictSame(['@http-date:2s', '@date:+2s', '@http-date'].map(isUnknownForm), [true, true, true])
  t.strictSame(['@auto', '@http-date:+2s', 'a@b', '@ x'].map(isUnknownForm), [false, false, false, false])
  t.end()
})
