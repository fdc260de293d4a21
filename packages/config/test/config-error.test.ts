import t from 'tap'
import { ConfigError, isConfigError } from '@understudy/config'

t.test('says all that is wrong, has a stable code, and is known across copies', async (t) => {
  const error = new ConfigError([{ path: 'routes.a', message: 'is 1' }, { path: 'options.b', message: 'is 2' }])
  t.equal(error.code, 'ERR_UNDERSTUDY_CONFIG')
  t.equal(error.name, 'ConfigError')
  t.equal(error.message, 'the config cannot be used:\n  routes.a: is 1\n  options.b: is 2')
  t.ok(isConfigError(error))
  t.ok(isConfigError({ [Symbol.for('understudy.ConfigError')]: true }))
})

t.test('takes nothing else for one, however hostile', async (t) => {
  const hostile = new Proxy({}, { get() { throw new Error('no') } })
  for (const other of [new Error('x'), undefined, null, 'x', {}, hostile]) t.notOk(isConfigError(other))
})
