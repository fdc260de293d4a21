import t from 'tap'
import { isConfigError, resolveMount } from '@understudy/config'

function issueOf(options: object): string {
  try {
    resolveMount(options)
    return ''
  } catch (error) {
    if (!isConfigError(error)) throw error
    return error.issues.map(({ path, message }) => `${path}: ${message}`).join(' | ')
  }
}

t.test('fills in the defaults around what is given', async (t) => {
  t.equal(resolveMount({ maxBodyBytes: 5 }).maxBodyBytes, 5)
  t.equal(resolveMount({ maxBodyBytes: 5 }).reportKey, 'understudy')
  t.equal(resolveMount().exhaustedStatus, 'by_cause')
})

t.test('refuses what belongs to the making of a Fallback, and says so', async (t) => {
  for (const key of ['providers', 'logger', 'timeoutMs', 'commit']) {
    t.match(issueOf({ [key]: 1 }), `options.${key}: belongs to createFallback`)
  }
  t.match(issueOf({ prefix: '/x' }), 'options.prefix: is Koa\'s alone')
  t.match(issueOf({ exposetrail: true }), 'options.exposetrail: is not known; did you mean \'exposeTrail\'?')
})

t.test('refuses values that cannot be', async (t) => {
  for (const bytes of [0, -1, 1.5, NaN, Infinity, '20mb', null]) {
    t.match(issueOf({ maxBodyBytes: bytes }), 'it must be a whole number of bytes above 0')
  }
  t.match(issueOf({ report: 'yes' }), 'options.report: is \'yes\'; it must be true or false')
  t.match(issueOf({ exhaustedStatus: 502 }), 'is 502; it must be one of by_cause, 429_or_502, 502')
  for (const key of ['', 'choices', 'model', 'a\nb', '__proto__', 5]) {
    t.match(issueOf({ reportKey: key }), 'options.reportKey: is ')
  }
})

t.test('leaves as it was what a mount does not say', async (t) => {
  const own = resolveMount({ exposeTrail: false, maxBodyBytes: 5 })
  t.strictSame(resolveMount({}, own), own)
  t.strictSame(resolveMount({ maxBodyBytes: 6, exposeTrail: undefined }, own), { ...own, maxBodyBytes: 6 })
})
