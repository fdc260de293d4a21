import type { FailureWords } from '../failure-kind.js'

/**
 * What Anthropic's errors mean. The types are those of https://platform.claude.com/docs/en/api/errors, the finer codes those that
 * stand in `error.details.error_code`. The sentences are told by a 400 `invalid_request_error` that means something else.
 */
export const FAILURE_WORDS: FailureWords = {
  codes: [
    ['context_length', ['prompt_too_long', 'context_length_exceeded', 'model_context_window_exceeded']],
    ['content_filter', ['content_filter', 'content_policy_violation']],
    [
      'auth_error',
      [
        'authentication_error',
        'permission_error',
        'billing_error',
        'organization_on_hold',
        'organization_type_not_supported',
        'parent_organization_required',
        'contract_spend_limit_reached',
        'enforced_spend_limit_reached',
        'linked_organization_billing_unavailable',
        'linked_organization_spend_limit_reached',
        'cmek_key_disabled',
        'cmek_key_network_blocked',
        'cmek_key_unreachable',
        'cmek_context_unavailable',
      ],
    ],
    ['overloaded', ['overloaded_error', 'overloaded']],
    ['rate_limit', ['rate_limit_error', 'ramp_limit_exceeded']],
    ['not_found', ['not_found_error']],
  ],
  weakCodes: [
    ['timeout', ['timeout_error']],
    ['invalid_request', ['invalid_request_error', 'request_too_large']],
  ],
  messages: [
    [
      'context_length',
      [
        /prompt is too long/i,
        /exceed(?:s|ed)?[^.]{0,40}context (?:limit|window|length)/i,
        /context (?:limit|window|length)[^.]{0,40}exceed/i,
        /input is too long/i,
      ],
    ],
    ['content_filter', [/blocked by content filter/i, /violat\w{1,8} (?:our |the )?(?:usage|content) polic/i]],
    [
      'auth_error',
      [
        /credit balance is too low/i,
        /(?:reached|exceed\w{0,3}) your specified (?:\w+ )?API usage limits?/i,
        /organization has been disabled/i,
        /invalid (?:x-api-key|bearer token)/i,
      ],
    ],
    ['overloaded', [/^overloaded\b/i]],
  ],
  plainStatuses: new Set([401, 402, 404, 408, 413, 429, 529]),
}
