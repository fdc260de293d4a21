import type { Failure } from '@understudy/core'
import { readRetryAfterMs } from './retry-after.js'

/** Where vendors put the id of a request, the most telling first. */
const REQUEST_ID_HEADERS = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-ms-request-id',
  'x-amzn-requestid',
  'x-amzn-request-id',
  'x-goog-request-id',
  'x-generation-id',
  'cf-ray',
]

const MAX_REQUEST_ID_LENGTH = 200

/** What the headers of a failed answer add to its failure. */
export function readFailureHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  now: number,
): Pick<Failure, 'retryAfterMs' | 'shouldRetry' | 'providerRequestId'> {
  return {
    retryAfterMs: readRetryAfterMs(headers, now),
    shouldRetry: readShouldRetry(headers['x-should-retry']),
    providerRequestId: readProviderRequestId(headers),
  }
}

/** The provider's own id of this request, if it is printable ASCII. Header names in lower case. */
function readProviderRequestId(headers: Readonly<Record<string, string | undefined>>): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const value = headers[name]?.trim()
    if (value !== undefined && /^[\x21-\x7e]+$/.test(value)) return value.slice(0, MAX_REQUEST_ID_LENGTH)
  }
  return undefined
}

function readShouldRetry(value: string | undefined): boolean | undefined {
  const word = value?.trim().toLowerCase()
  if (word === 'true') return true
  return word === 'false' ? false : undefined
}
