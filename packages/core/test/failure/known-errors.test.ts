import { kindOfStatus } from '@understudy/core'
import t from 'tap'
import { processedOfConnection } from '../../src/failure/known-errors.js'

t.test('what a status means', async (t) => {
  const table: Readonly<Record<string, readonly number[]>> = {
    invalid_request: [400, 413, 415, 422],
    auth_error: [401, 402, 403],
    not_found: [404],
    timeout: [408],
    rate_limit: [429],
    overloaded: [529],
    server_error: [500, 501, 502, 503, 504, 520, 599, 405, 409, 410, 418, 451, 301, 100, 0, 999, NaN],
  }
  for (const [kind, statuses] of Object.entries(table)) {
    for (const status of statuses) t.equal(kindOfStatus(status), kind, `${status}`)
  }
})

t.test('whether a connection that failed can have carried the request', async (t) => {
  const table = {
    no: [
      'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT', 'ERR_INVALID_URL',
      'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_SSL_WRONG_VERSION_NUMBER',
    ],
    maybe: [
      'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EPROTO', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED',
      'ERR_STREAM_PREMATURE_CLOSE', 'HPE_INVALID_CONSTANT',
    ],
    undefined: ['', 'EACCES', 'ERR_ASSERTION', 'rate_limit_exceeded', 'constructor'],
  }
  for (const [processed, codes] of Object.entries(table)) {
    for (const code of codes) t.equal(String(processedOfConnection(code)), processed, code)
  }
})
