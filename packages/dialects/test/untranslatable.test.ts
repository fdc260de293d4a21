import t from 'tap'
import { UntranslatableRequestError, isUntranslatableRequestError } from '@understudy/dialects'

const error = new UntranslatableRequestError({ source: 'openai', target: 'gemini', feature: 'logit_bias' })

t.test('the error is recognised by its mark, and so another copy of it is too', async (t) => {
  t.equal(isUntranslatableRequestError(error), true)
  t.equal(isUntranslatableRequestError({ [Symbol.for('understudy.UntranslatableRequestError')]: true }), true)
  for (const other of [undefined, null, 'ERR_UNDERSTUDY_UNTRANSLATABLE_REQUEST', new Error(error.message), { code: error.code }]) {
    t.equal(isUntranslatableRequestError(other), false)
  }
})

t.test('a proxy whose traps throw is not one, and nothing throws', async (t) => {
  const trap = (): never => {
    throw new Error('trap')
  }
  t.equal(isUntranslatableRequestError(new Proxy(error, { has: trap, get: trap, getPrototypeOf: trap })), false)
  const { proxy, revoke } = Proxy.revocable(error, {})
  revoke()
  t.equal(isUntranslatableRequestError(proxy), false)
})

t.test('a feature is at most 64 harmless characters, a letter first', async (t) => {
  const named = (feature: string) => new UntranslatableRequestError({ source: undefined, target: 'openai', feature }).feature
  t.equal(named('tools.web search\r\nx-header: 1'), 'tools.websearchx-header1')
  t.equal(named('_own'), 'field_own')
  t.equal(named('\u00e9'), 'field')
  t.equal(named('x'.repeat(65)), 'x'.repeat(64))
  t.equal(named('1'.repeat(64)), `field${'1'.repeat(59)}`)
})
