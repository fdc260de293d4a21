import type { FailureKind } from '@understudy/core'
import { ADVANCE_SETS, advanceKinds, FAILURE_KINDS, failureOf, healthOf, nextStep } from '@understudy/core'
import t from 'tap'

// By hand, from the tables of the specification: kind, health, and who moves on (leg_faults, any, retryable, triggers).
const TABLE = `
  connection_error  charge    yes yes yes yes
  timeout           charge    yes yes yes yes
  rate_limit        cooldown  yes yes yes yes
  overloaded        charge    yes yes yes yes
  server_error      charge    yes yes yes yes
  auth_error        charge    yes yes no  no
  not_found         neutral   yes yes no  no
  invalid_request   neutral   no  yes no  no
  context_length    neutral   yes yes no  no
  content_filter    neutral   no  yes no  no
  malformed         charge    yes yes no  yes
  empty             charge    yes yes no  yes
  truncated         charge    yes yes no  yes
  refused           neutral   no  no  no  no
  aborted           neutral   no  no  no  no
`

t.test('every failure kind: what it says about health, and which sets move on', async (t) => {
  const rows = TABLE.trim().split('\n').map((row) => row.trim().split(/\s+/))
  const actual = FAILURE_KINDS.map((kind) => {
    const failure = failureOf(kind)
    const moves = (['leg_faults', 'any', 'retryable', 'triggers'] as const).map((set) =>
      nextStep(failure, advanceKinds(set)) === 'advance' ? 'yes' : 'no',
    )
    return [kind, healthOf(failure), ...moves]
  })
  t.strictSame(actual, rows)
  t.strictSame(ADVANCE_SETS, ['leg_faults', 'any', 'retryable', 'triggers'])
  t.comment(TABLE)
})

t.test('leg_faults is what nobody asks for', async (t) => {
  t.strictSame(advanceKinds(), advanceKinds('leg_faults'))
})

t.test('a list moves on for its kinds, but never for what a host refused or the client ended', async (t) => {
  t.strictSame([...advanceKinds(['invalid_request', 'aborted', 'refused', 'timeout'])], ['invalid_request', 'timeout'])
  t.strictSame([...advanceKinds([])], [])
  t.strictSame([...advanceKinds(['nonsense', 'constructor', '__proto__'] as unknown as FailureKind[])], [])
})

t.test('a name that is no set is refused, with the names that are', async (t) => {
  for (const name of ['everything', 'constructor', '__proto__', '']) {
    t.throws(() => advanceKinds(name as 'any'), { name: 'TypeError', message: /one of leg_faults, any, retryable, triggers/ })
  }
})
