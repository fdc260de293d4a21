import t from 'tap'

import { drilledFailure, isDrilledFailure } from '../../src/failure/drilled-failure.js'
import { failureOf } from '../../src/failure/failure.js'
import { healthOf } from '../../src/failure/verdict.js'

t.test('a failure that was made on purpose keeps its kind and its words, and counts against nobody', async (t) => {
  const made = drilledFailure(failureOf('timeout', { phase: 'first_content', processed: 'maybe', code: 'slow' }))
  t.strictSame({ ...made }, { kind: 'timeout', phase: 'first_content', processed: 'maybe', code: 'drill', internal: true })
  t.equal(healthOf(made), 'neutral')
  t.ok(isDrilledFailure(made))
})

t.test('what the client ended is no drill\'s, and neither is a fault of our own or a code of a vendor\'s', async (t) => {
  const left = failureOf('aborted', { code: 'gone' })
  t.equal(drilledFailure(left), left)
  t.notOk(isDrilledFailure(failureOf('server_error', { internal: true })))
  t.notOk(isDrilledFailure(failureOf('server_error', { code: 'drill' })))
})
