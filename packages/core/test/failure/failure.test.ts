import { FAILURE_KINDS, failureOf } from '@understudy/core'
import t from 'tap'
import { inspect } from 'node:util'
import { isFailureKind, isProcessed, isTimeoutPhase } from '../../src/failure/failure.js'

t.test('whether the provider may have acted, by kind', async (t) => {
  t.strictSame(Object.fromEntries(FAILURE_KINDS.map((kind) => [kind, failureOf(kind).processed])), {
    connection_error: 'maybe',
    timeout: 'maybe',
    rate_limit: 'no',
    overloaded: 'no',
    server_error: 'maybe',
    auth_error: 'no',
    not_found: 'no',
    invalid_request: 'no',
    context_length: 'no',
    content_filter: 'no',
    malformed: 'yes',
    empty: 'yes',
    truncated: 'yes',
    refused: 'no',
    aborted: 'maybe',
  })
})

t.test('who knows better says so, and what is not known is left out', async (t) => {
  t.strictSame(failureOf('connection_error', { processed: 'no', code: 'ECONNREFUSED', status: undefined }), {
    kind: 'connection_error',
    processed: 'no',
    code: 'ECONNREFUSED',
  })
})

t.test('the provider\'s words are there to be shown and are in no enumeration', async (t) => {
  const failure = failureOf('invalid_request', { providerMessage: 'CANARY' })
  t.equal(failure.providerMessage, 'CANARY')
  const copies = [JSON.stringify(failure), inspect(failure), Object.keys(failure).join(), JSON.stringify({ ...failure })]
  for (const copy of copies) t.notMatch(copy, /CANARY|providerMessage/)
})

t.test('only the words of the tables are words', async (t) => {
  const others = ['', 'Timeout', '__proto__', 'constructor', 'toString', undefined, null, 7, {}, ['timeout']]
  t.strictSame([others.some(isFailureKind), others.some(isTimeoutPhase), others.some(isProcessed)], [false, false, false])
  t.ok(FAILURE_KINDS.every(isFailureKind))
  t.ok(['connect', 'first_content', 'idle', 'attempt', 'stream', 'chain'].every(isTimeoutPhase))
  t.ok(['no', 'maybe', 'yes'].every(isProcessed))
})
