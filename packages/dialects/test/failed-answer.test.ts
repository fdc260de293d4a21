import t from 'tap'
import { createDecodeFailure } from '../src/failed-answer.js'
import type { SaidError } from '../src/failed-answer.js'
import { createToFailure } from '../src/failure-kind.js'

const toFailure = createToFailure({ codes: [['overloaded', ['busy']]], weakCodes: [], messages: [], plainStatuses: new Set() })

function setUp() {
  const reads: unknown[] = []
  const read = (body: unknown, name: string): SaidError => {
    reads.push([body, name])
    return { evidence: { words: [name], status: undefined, message: JSON.stringify(body), text: '' }, param: 'tools', retryAfterMs: 7 }
  }
  const decode = createDecodeFailure(toFailure, { read, nameHeader: 'x-name' })
  return { reads, answer: (status: number, body: string, headers = {}) => decode({ status, headers, body, now: 0 }) }
}

t.test('the same answer to everybody is read once, and what stands around it each time', async (t) => {
  const { reads, answer } = setUp()
  const first = answer(500, '{"a":1}', { 'x-request-id': 'req-1' })
  const second = answer(500, '{"a":1}', { 'x-request-id': 'req-2', 'retry-after': '3', 'x-should-retry': 'false' })
  t.strictSame(reads, [[{ a: 1 }, '']])
  t.not(first, second)
  t.strictSame(first, { kind: 'server_error', processed: 'maybe', status: 500, retryAfterMs: 7, providerRequestId: 'req-1' })
  t.strictSame(second, {
    kind: 'server_error', processed: 'maybe', status: 500, retryAfterMs: 3000, shouldRetry: false, providerRequestId: 'req-2',
  })
  t.strictSame([second.param, second.providerMessage], ['tools', '{"a":1}'])
})

t.test('an answer of another status, name or body is another one', async (t) => {
  const { reads, answer } = setUp()
  const failures = [
    answer(500, '1'),
    answer(429, '1'),
    answer(500, '2'),
    answer(500, '1', { 'x-name': 'busy' }),
    answer(500, ''),
    answer(500, 'x\n1'),
  ]
  t.strictSame(failures.map(({ kind }) => kind), ['server_error', 'rate_limit', 'server_error', 'overloaded', 'server_error', 'server_error'])
  t.strictSame(reads, [[1, ''], [1, ''], [2, ''], [1, 'busy'], [undefined, ''], [undefined, '']])
})

t.test('a long answer is read each time', async (t) => {
  const { reads, answer } = setUp()
  const body = JSON.stringify('x'.repeat(600))
  t.strictSame(answer(500, body), answer(500, body))
  t.equal(reads.length, 2)
})
