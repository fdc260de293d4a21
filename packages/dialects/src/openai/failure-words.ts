import type { FailureKind } from '@understudy/core'

/**
 * Codes and types that say more than the status, over all of OpenAI and its compatibles; compared in lower case without
 * `_`, `-` and `.`. The first row that has one of the error's words decides.
 */
export const CODES: readonly (readonly [FailureKind, readonly string[]])[] = [
  // The model wrote a call that its server could not read; another model may not.
  ['server_error', ['tool_use_failed', 'output_parse_failed', 'json_validate_failed']],
  [
    'context_length',
    [
      'context_length_exceeded',
      'exceed_context_size_error',
      'context_window_exceeded',
      'model_length_exceeded',
      'prompt_too_long',
    ],
  ],
  [
    'content_filter',
    [
      'content_filter',
      'content_filtered',
      'content_policy_violation',
      'ResponsibleAIPolicyViolation',
      'moderation',
      'moderation_blocked',
      'input_moderation',
      'invalid_prompt',
      'data_inspection_failed',
      'safety_check_failed',
      'sensitive_content',
    ],
  ],
  [
    'auth_error',
    [
      'insufficient_quota',
      'insufficient_balance',
      'insufficient_credits',
      'insufficient_funds',
      'billing_error',
      'billing_hard_limit_reached',
      'billing_limit_reached',
      'billing_not_active',
      'access_terminated',
      'account_deactivated',
      'account_suspended',
      'organization_deactivated',
      'organization_restricted',
      'payment_required',
      'credit_limit_reached',
      'Arrearage',
      'invalid_api_key',
      'invalid_authentication_error',
      'incorrect_api_key_error',
      'authentication_error',
      'unauthorized',
      'unauthenticated',
      'permission_error',
      'permission_denied',
      'permission_denied_error',
      'access_denied',
      'unsupported_country_region_territory',
    ],
  ],
  [
    'overloaded',
    [
      'overloaded_error',
      'overloaded',
      'engine_overloaded',
      'engine_overloaded_error',
      'server_overloaded',
      'model_overloaded',
    ],
  ],
  [
    'rate_limit',
    [
      'rate_limit_exceeded',
      'rate_limit_error',
      'rate_limit_reached_error',
      'rate_limit_reached',
      'rate_limited',
      'rate_limit',
      'too_many_requests',
      'resource_exhausted',
      'throttling',
      'throttled',
      'throttling_exception',
      'limit_requests',
    ],
  ],
  [
    'not_found',
    [
      'model_not_found',
      'model_not_exist',
      'model_not_available',
      'model_decommissioned',
      'model_terms_required',
      'unknown_model',
      'invalid_model',
      'DeploymentNotFound',
      'not_found_error',
      'not_found',
    ],
  ],
]

/** Words that a status outweighs: vendors put them on everything. */
export const WEAK_CODES: readonly (readonly [FailureKind, readonly string[]])[] = [
  ['timeout', ['timeout', 'request_timeout', 'timeout_error', 'deadline_exceeded']],
  [
    'invalid_request',
    [
      'invalid_request_error',
      'invalid_argument',
      'BadRequestError',
      'bad_request',
      'unsupported_parameter',
      'unsupported_value',
    ],
  ],
]

/** Vendors' sentences, where no code says it. Tested one by one, so that none runs over the text of another. */
export const MESSAGES: readonly (readonly [FailureKind, readonly RegExp[]])[] = [
  [
    'context_length',
    [
      /maximum context length/i,
      /context[ _](?:length|window|size)[^.]{0,40}(?:exceed|overflow|too (?:long|small))/i,
      /(?:exceed|overflow|(?:long|larg|great)er than)[^.]{0,80}context[ _](?:length|window|size)/i,
      /too (?:long|large) for[^.]{0,80}context[ _](?:length|window|size)/i,
      /exceeds? the (?:available )?context/i,
      /prompt (?:is|has) too (?:long|many tokens)/i,
      /prompt contains \d+ tokens/i,
      /input (?:is|length)[^.]{0,40}(?:too long|exceeds? the maximum)/i,
      /reduce the length of the messages/i,
      /maximum prompt length is/i,
      /range of input length should be/i,
      /the input token count[^.]{0,40}exceeds the maximum/i,
      /max_model_len/i,
    ],
  ],
  [
    'content_filter',
    [
      /content management policy/i,
      /content filter(?:ing)? polic/i,
      /content exists risk/i,
      /violat\w{1,8} (?:our |the )?(?:usage|content|safety) (?:polic|guideline)/i,
      /flagged (?:by|for) (?:our )?moderation/i,
      /requires moderation/i,
      /input was flagged/i,
    ],
  ],
  [
    'auth_error',
    [
      /insufficient (?:balance|credits?|funds|quota)/i,
      /credit balance is too low/i,
      /billing (?:hard )?limit/i,
      /billing is not active/i,
      /(?:out of|requires? more|no) credits?\b/i,
      /exceeded your (?:monthly|spending) (?:budget|limit)/i,
      /(?:incorrect|invalid|missing|expired) api[ -]?key/i,
      /api[ -]?key (?:is )?(?:not valid|invalid|expired|missing)/i,
      /payment (?:is )?required/i,
      /account (?:is|has been) (?:suspended|deactivated|disabled)/i,
    ],
  ],
  [
    'not_found',
    [
      /\bmodel\b[^.]{0,120}(?:does not exist|not exist|not found|is not available)/i,
      /\bmodel\b[^.]{0,120}has been (?:deprecated|decommissioned)/i,
      /not a valid model/i,
      /(?:no such|unknown|invalid) model\b/i,
    ],
  ],
]

/** Statuses of which a vendor's sentence says no more than the status itself. */
export const PLAIN_STATUSES: ReadonlySet<number> = new Set([401, 402, 404, 408, 429, 529])
