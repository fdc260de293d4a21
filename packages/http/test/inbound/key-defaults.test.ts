import type { Caller } from '@understudy/config'
import t from 'tap'

import { createKeyDefaultsReader } from '../../src/inbound/key-defaults.js'

const KNOWN = ['a/one', 'b/two', 'c/three', 'chat']

function reader() {
  const warnings: string[] = []
  const read = createKeyDefaultsReader((name) => KNOWN.includes(name), (code, message) => warnings.push(`${code} ${message}`))
  return { warnings, read: (failoverDefaults: unknown, keyId = 'k') => read({ failoverDefaults } as Caller, keyId) }
}

t.test('what an administrator wrote is clamped, cut and cleaned, never refused', async (t) => {
  const { read, warnings } = reader()
  t.strictSame(
    read({ models: ['a/one', 'gone', 'a/one', 'b/two', 'c/three', 'chat'], timeoutMs: 5, firstTokenTimeoutMs: 1e9, on: ['timeout', 'bogus'] }),
    { models: ['a/one', 'b/two', 'c/three'], timeoutMs: 1_000, firstTokenTimeoutMs: 60_000, on: ['timeout'] },
  )
  t.equal(warnings.length, 1)
  t.match(warnings[0], /^UNDERSTUDY_FAILOVER_DEFAULTS failoverDefaults of a caller key: models that are not known are left out: 'gone'; models is cut to 3; timeoutMs is taken as 1000; firstTokenTimeoutMs is taken as 60000; triggers that are not known are left out: 'bogus'; there are connection_error, server_error, rate_limit, timeout$/)
})

t.test('what is not known is named, with what was meant, and no more of it than a line takes', async (t) => {
  const { read, warnings } = reader()
  read({ models: ['b/two'], timeout_ms: 5_000, on: 'timeout' }, 'k1')
  t.match(warnings[0], /: 'timeout_ms' is not known: did you mean 'timeoutMs'\?; on is no list$/)
  read({ model: ['b/two'] }, 'k2')
  t.match(warnings[1], /: 'model' is not known: did you mean 'models'\?; models is no list$/)
  read({ models: ['b/two', 5, null, ...Array.from({ length: 500 }, (_each, index) => `gone-${index}`)] }, 'k3')
  t.match(warnings[2], /left out: number, object, 'gone-0', 'gone-1', 'gone-2'$/)
})

t.test('one warning a key, and none for what is right', async (t) => {
  const { read, warnings } = reader()
  for (const key of ['k1', 'k1', 'k2', 'k2']) read({ models: ['gone'] }, key)
  t.equal(warnings.length, 2)
  read({ models: ['a/one'], timeoutMs: 300_000, firstTokenTimeoutMs: 500, on: [] }, 'k3')
  t.equal(warnings.length, 2)
})

t.test('what is nothing of the kind gives no chain', async (t) => {
  const { read } = reader()
  for (const nothing of [undefined, null, 'a/one', {}, { models: 'a/one' }, { models: [] }, { models: [1, null] }]) t.equal(read(nothing), undefined)
  t.strictSame(read({ models: ['chat'], timeoutMs: 'soon', firstTokenTimeoutMs: NaN, on: 'timeout' }), {
    models: ['chat'], timeoutMs: undefined, firstTokenTimeoutMs: undefined, on: undefined,
  })
})
