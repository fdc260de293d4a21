import type { FailureWords } from '../failure-kind.js'

/**
 * What Google's errors mean. The statuses are those of https://cloud.google.com/apis/design/errors and
 * https://ai.google.dev/gemini-api/docs/troubleshooting, the reasons those that stand in `details` (`google.rpc.ErrorInfo`:
 * https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto), the rest is what `finishReason` and
 * `blockReason` say.
 */
export const FAILURE_WORDS: FailureWords = {
  codes: [
    [
      'server_error',
      [
        'MALFORMED_FUNCTION_CALL',
        'UNEXPECTED_TOOL_CALL',
        'TOO_MANY_TOOL_CALLS',
        'MISSING_THOUGHT_SIGNATURE',
        'MALFORMED_RESPONSE',
      ],
    ],
    [
      'content_filter',
      [
        'SAFETY',
        'BLOCKLIST',
        'PROHIBITED_CONTENT',
        'IMAGE_SAFETY',
        'MODEL_ARMOR',
        'JAILBREAK',
        'RECITATION',
        'SPII',
        'BLOCK_REASON_UNSPECIFIED',
      ],
    ],
    [
      'auth_error',
      [
        'API_KEY_INVALID',
        'API_KEY_SERVICE_BLOCKED',
        'API_KEY_HTTP_REFERRER_BLOCKED',
        'API_KEY_IP_ADDRESS_BLOCKED',
        'API_KEY_ANDROID_APP_BLOCKED',
        'API_KEY_IOS_APP_BLOCKED',
        'ACCESS_TOKEN_EXPIRED',
        'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
        'ACCESS_TOKEN_TYPE_UNSUPPORTED',
        'ACCOUNT_STATE_INVALID',
        'BILLING_DISABLED',
        'CONSUMER_INVALID',
        'CONSUMER_SUSPENDED',
        'CREDENTIALS_MISSING',
        'LOCATION_POLICY_VIOLATED',
        'RESOURCE_PROJECT_INVALID',
        'SECURITY_POLICY_VIOLATED',
        'SERVICE_DISABLED',
        'SERVICE_NOT_ACTIVATED',
        'USER_PROJECT_DENIED',
        'UNAUTHENTICATED',
        'PERMISSION_DENIED',
        // A 400: the free tier is not served where the server stands, or billing is not set up.
        'FAILED_PRECONDITION',
      ],
    ],
    ['rate_limit', ['RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED', 'RESOURCE_QUOTA_EXCEEDED']],
    ['not_found', ['NOT_FOUND']],
  ],
  weakCodes: [
    ['timeout', ['DEADLINE_EXCEEDED']],
    ['invalid_request', ['INVALID_ARGUMENT', 'OUT_OF_RANGE']],
  ],
  messages: [
    [
      'context_length',
      [
        /input token count[^.]{0,60}exceeds the maximum/i,
        /exceeds the maximum (?:number of )?(?:input )?tokens/i,
        /input context is too long/i,
        /(?:prompt|input|request) is too long/i,
      ],
    ],
    ['content_filter', [/blocked (?:by|due to|because of)[^.]{0,40}(?:safety|polic|prohibited)/i]],
    [
      'auth_error',
      [
        /API key (?:not valid|not found|expired)/i,
        /(?:valid|missing|expired|leaked)[^.]{0,20} API key/i,
        /user location is not supported/i,
        /billing (?:account|is|to be)[^.]{0,60}(?:disabled|enabled|closed)/i,
      ],
    ],
    ['overloaded', [/\bmodel is (?:currently )?overloaded/i, /experiencing high demand/i]],
  ],
  plainStatuses: new Set([401, 402, 403, 404, 408, 413, 429, 529]),
}
