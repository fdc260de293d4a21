import { ChainFailedError, failureOf, isChainFailedError, isLegFailedError, legFailed, LegFailedError } from '@understudy/core'
import t from 'tap'

t.test('both errors have a stable code, a name and no words of a provider', async (t) => {
  const failure = failureOf('invalid_request', { providerMessage: 'CANARY' })
  const leg = new LegFailedError(failure, { cause: new Error('deeper') })
  t.match(leg, { code: 'ERR_UNDERSTUDY_LEG_FAILED', name: 'LegFailedError', message: 'leg failed: invalid_request', failure })
  t.match(leg.cause, { message: 'deeper' })
  const chain = new ChainFailedError('chain failed', failure, [])
  t.match(chain, { code: 'ERR_UNDERSTUDY_CHAIN_FAILED', name: 'ChainFailedError', failure, failures: [] })
  for (const error of [leg, chain]) t.notMatch(`${error.stack} ${JSON.stringify(error)}`, /CANARY/)
})

t.test('each is recognised by its mark, from another copy of the package too', async (t) => {
  const leg = new LegFailedError(failureOf('empty'))
  const chain = new ChainFailedError('x', undefined, [])
  t.strictSame([isLegFailedError(leg), isChainFailedError(leg)], [true, false])
  t.strictSame([isLegFailedError(chain), isChainFailedError(chain)], [false, true])
  t.ok(isLegFailedError({ [Symbol.for('understudy.LegFailedError')]: true }))
  t.ok(isChainFailedError({ [Symbol.for('understudy.ChainFailedError')]: true }))
})

t.test('a stranger is none of ours, whatever it does', async (t) => {
  const hostile = new Proxy({}, { get: () => { throw new Error('no') } })
  for (const value of [undefined, null, 'x', 7, {}, new Error('x'), hostile, { [Symbol.for('understudy.LegFailedError')]: 1 }]) {
    t.strictSame([isLegFailedError(value), isChainFailedError(value)], [false, false])
  }
})

t.test('a failure that no code made has no stack, and takes nobody else\'s', async (t) => {
  const failure = failureOf('server_error', { status: 500 })
  const { stackTraceLimit } = Error
  const error = legFailed(failure)
  t.match(error, { code: 'ERR_UNDERSTUDY_LEG_FAILED', failure })
  t.ok(isLegFailedError(error) && error instanceof LegFailedError)
  t.equal(error.stack?.includes('\n    at '), false)
  t.equal(Error.stackTraceLimit, stackTraceLimit)
  t.match(new Error('another').stack, /\n {4}at /)
})

t.test('where the language is frozen it is an error as any other', async (t) => {
  const { stackTraceLimit } = Error
  Object.defineProperty(Error, 'stackTraceLimit', { value: stackTraceLimit, writable: false })
  t.teardown(() => void Object.defineProperty(Error, 'stackTraceLimit', { value: stackTraceLimit, writable: true }))
  t.ok(isLegFailedError(legFailed(failureOf('empty'))))
})
