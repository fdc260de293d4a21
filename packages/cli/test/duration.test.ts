import t from 'tap'
import { readDuration, showDuration } from '../src/duration.js'

t.test('reads what people write', async (t) => {
  const rows: [string, number][] = [
    ['45m', 2_700_000], ['2h', 7_200_000], ['90s', 90_000], ['1d', 86_400_000], ['1h30m', 5_400_000], [' 45M ', 2_700_000], ['1d2h3m4s', 93_784_000],
  ]
  for (const [text, ms] of rows) t.strictSame(readDuration(text), { ms }, text)
})

t.test('says what is wrong with anything else, and what would be right', async (t) => {
  const rows: [string, string][] = [
    ['45', "'45' has no unit; write 90s, 45m, 2h or 1h30m"],
    ['1.5', "'1.5' has no unit; write 90s, 45m, 2h or 1h30m"],
    ['', "'' is no duration; write 90s, 45m, 2h or 1h30m"],
    ['soon', "'soon' is no duration; write 90s, 45m, 2h or 1h30m"],
    ['30m1h', "'30m1h' is no duration; write 90s, 45m, 2h or 1h30m"],
    ['-5m', "'-5m' is no duration; write 90s, 45m, 2h or 1h30m"],
    ['1.5h', "'1.5h' is no duration; write 90s, 45m, 2h or 1h30m"],
    ['0m', "'0m' is no time at all; write 90s, 45m, 2h or 1h30m"],
    ['9999999999999d', "'9999999999999d' is longer than can be counted"],
  ]
  for (const [text, wrong] of rows) t.strictSame(readDuration(text), { wrong }, text)
})

t.test('shows the two largest units', async (t) => {
  const rows: [number, string][] = [
    [0, '0s'], [-5, '0s'], [400, '0s'], [12_400, '12s'], [59_700, '1m'], [90_000, '1m 30s'], [7_500_000, '2h 5m'], [7_200_000, '2h'],
    [3 * 86_400_000 + 4 * 3_600_000 + 5, '3d 4h'], [3_605_000, '1h'], [899_000, '15m'], [901_000, '15m'],
  ]
  for (const [ms, text] of rows) t.equal(showDuration(ms), text, String(ms))
})
