import t from 'tap'
import { readRetryAfterMs } from '@understudy/dialects'

const NOW = Date.UTC(1994, 10, 6, 8, 49, 37)

const CASES: readonly (readonly [Readonly<Record<string, string>>, number | undefined])[] = [
  [{}, undefined],
  [{ 'retry-after': '2' }, 2_000],
  [{ 'retry-after': ' 2 ' }, 2_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': '0.0001' }, 1],
  [{ 'retry-after': '99999999999999999999999' }, 300_000],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': '1e3' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{ 'retry-after-ms': '250' }, 250],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9_000],
  [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:39 GMT' }, 2_000],
  [{ 'retry-after': 'sun, 06 nov 1994 08:49:39 gmt' }, 2_000],
  [{ 'retry-after': 'Sunday, 06-Nov-94 08:49:39 GMT' }, 2_000],
  [{ 'retry-after': 'Sun Nov  6 08:49:39 1994' }, 2_000],
  [{ 'retry-after': 'Sun, 06 Nov 1994 08:49:00 GMT' }, 0],
  [{ 'retry-after': 'Wed, 06 Nov 2094 08:49:00 GMT' }, 300_000],
  [{ 'retry-after': 'Sunday, 06-Nov-44 08:49:39 GMT' }, 300_000],
  [{ 'retry-after': 'Sunday, 06-Nov-45 08:49:39 GMT' }, 0],
  [{ 'retry-after': 'Sun, 31 Nov 1994 08:49:39 GMT' }, undefined],
  [{ 'retry-after': 'Sun, 06 Nov 1994 24:49:39 GMT' }, undefined],
  [{ 'retry-after': 'Sun, 06 Foo 1994 08:49:39 GMT' }, undefined],
  [{ 'retry-after': '1994-11-06T08:49:39Z' }, undefined],
]

t.test('reads how long a provider asks us to wait', async (t) => {
  for (const [headers, waitMs] of CASES) t.equal(readRetryAfterMs(headers, NOW), waitMs, JSON.stringify(headers))
})
