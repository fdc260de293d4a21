import type { FailureWords } from '../failure-kind.js'

/**
 * What the errors of Bedrock and of AWS mean. The names are those of
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html and
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html; the sentences are told by a `ValidationException`,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
 */
export const FAILURE_WORDS: FailureWords = {
  codes: [
    ['rate_limit', ['ThrottlingException', 'Throttling', 'TooManyRequestsException', 'ServiceQuotaExceededException', 'ModelNotReadyException']],
    [
      'auth_error',
      [
        'AccessDeniedException',
        'AccessDenied',
        'ExpiredTokenException',
        'ExpiredToken',
        'IncompleteSignature',
        'IncompleteSignatureException',
        'InvalidClientTokenId',
        'InvalidSignatureException',
        'MissingAuthenticationToken',
        'MissingAuthenticationTokenException',
        'NotAuthorized',
        'OptInRequired',
        'RequestExpired',
        'SignatureDoesNotMatch',
        'UnrecognizedClientException',
      ],
    ],
    ['timeout', ['ModelTimeoutException']],
    ['not_found', ['ResourceNotFoundException']],
    ['server_error', ['ModelErrorException', 'ModelStreamErrorException', 'malformed_model_output', 'malformed_tool_use']],
  ],
  weakCodes: [
    ['server_error', ['InternalServerException', 'InternalFailure', 'ServiceUnavailableException']],
    ['invalid_request', ['ValidationException', 'ValidationError']],
  ],
  messages: [
    [
      'context_length',
      [
        /input is too long/i,
        /prompt is too long/i,
        /too many (?:input )?tokens/i,
        /exceed(?:s|ed)?[^.]{0,60}(?:context (?:limit|window|length)|(?:input|maximum)[^.]{0,20}tokens)/i,
        /(?:context (?:limit|window|length)|maximum[^.]{0,20}tokens)[^.]{0,40}exceed/i,
      ],
    ],
    ['content_filter', [/blocked by (?:the |our )?(?:content filter|guardrail)/i]],
    [
      'not_found',
      [
        /model identifier is invalid/i,
        /on-demand throughput isn.t supported/i,
        /model (?:is|has been) (?:not supported|marked|retired|reached)/i,
        /doesn.t support (?:the )?(?:model|converse)/i,
      ],
    ],
    ['auth_error', [/security token/i, /signature (?:we calculated|expired|does not match)/i, /don.t have access to the model/i]],
  ],
  plainStatuses: new Set([401, 403, 404, 408, 424, 429]),
}
