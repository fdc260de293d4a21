import type { Failure, FailureKind } from '@understudy/core'
import { failureOf } from '@understudy/core'
import { readFailureHeaders } from '../answer-headers.js'
import type { FailedAnswer } from '../dialect-codec.js'
import { failureCodeOf, readErrorEvidence, type ErrorEvidence } from '../error-evidence.js'
import { isObject, listOf, parseJson } from '../read-json.js'
import { providerMessageOf } from '../provider-message.js'

/**
 * Codes and types that say more than the status, over all of OpenAI and its compatibles; compared in lower case without `_`,
 * `-` and `.`. The first row that has one of the error's words decides.
 */
const CODES: readonly (readonly [FailureKind, readonly string[]])[] = [
  // The model wrote a call that its server could not read; another model may not.
  ['server_error', ['tool_use_failed', 'output_parse_failed', 'json_validate_failed']],
  ['context_length', ['context_length_exceeded', 'exceed_context_size_error', 'context_window_exceeded', 'model_length_exceeded', 'prompt_too_long']],
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
  ['overloaded', ['overloaded_error', 'overloaded', 'engine_overloaded', 'engine_overloaded_error', 'server_overloaded', 'model_overloaded']],
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
const WEAK_CODES: readonly (readonly [FailureKind, readonly string[]])[] = [
  ['timeout', ['timeout', 'request_timeout', 'timeout_error', 'deadline_exceeded']],
  ['invalid_request', ['invalid_request_error', 'invalid_argument', 'BadRequestError', 'bad_request', 'unsupported_parameter', 'unsupported_value']],
]

/** Vendors' sentences, where no code says it. */
const MESSAGES: readonly (readonly [FailureKind, RegExp])[] = [
  [
    'context_length',
    new RegExp(
      [
        'maximum context length',
        'context[ _](?:length|window|size)[^.]{0,40}(?:exceed|overflow|too (?:long|small))',
        '(?:exceed|overflow|longer than|larger than|greater than|too (?:long|large) for)[^.]{0,80}context[ _](?:length|window|size)',
        'exceeds? the (?:available )?context',
        'prompt (?:is|has) too (?:long|many tokens)',
        'prompt contains \\d+ tokens',
        'too large for model with \\d+ maximum context',
        'input (?:is|length)[^.]{0,40}(?:too long|exceeds? the maximum)',
        'reduce the length of the messages',
        'maximum prompt length is',
        'range of input length should be',
        'the input token count[^.]{0,40}exceeds the maximum',
        'max_model_len',
      ].join('|'),
      'i',
    ),
  ],
  [
    'content_filter',
    /content management policy|content filter(?:ing)? polic|content exists risk|violat\w+ (?:our |the )?(?:usage|content|safety) (?:polic|guideline)|flagged (?:by|for) (?:moderation|our moderation)|requires moderation|input was flagged/i,
  ],
  [
    'auth_error',
    /insufficient (?:balance|credits?|funds|quota)|credit balance is too low|billing (?:hard )?limit|billing is not active|(?:out of|requires? more|no) credits?\b|exceeded your (?:monthly|spending) (?:budget|limit)|(?:incorrect|invalid|missing|expired) api[ -]?key|api[ -]?key (?:is )?(?:not valid|invalid|expired|missing)|payment (?:is )?required|account (?:is|has been) (?:suspended|deactivated|disabled)/i,
  ],
  [
    'not_found',
    /\bmodel\b[^.]{0,120}(?:does not exist|not exist|not found|is not available|has been (?:deprecated|decommissioned))|not a valid model|no such model|unknown model|invalid model\b/i,
  ],
]

/** Statuses of which a vendor's sentence says no more than the status itself. */
const PLAIN_STATUSES: ReadonlySet<number> = new Set([401, 402, 404, 408, 429, 529])

/** What an answer outside 2xx means. A body that is no JSON says nothing: the status decides. */
export function decodeFailure({ status, headers, body, now }: FailedAnswer): Failure {
  const value = parseJson(body)
  const evidence = readErrorEvidence(value)
  return toFailure({ ...evidence, status }, readFailureHeaders(headers, now))
}

/** What an error inside a 2xx means: the value of `error`, or the object that is one. Any shape. */
export function failureOfError(error: unknown): Failure {
  return toFailure(readErrorEvidence(error), {})
}

/** The error in what should have been an answer, whatever its shape; `undefined` if it holds none. */
export function errorIn(value: unknown): unknown {
  if (Array.isArray(value)) return listOf(value).map(errorIn).find((error) => error !== undefined)
  if (!isObject(value)) return undefined
  const { error } = value
  if (error !== undefined && error !== null && error !== false && error !== '' && error !== 0) return error
  if (value.object === 'error' || value.type === 'error') return value
  // An error without an envelope: a message beside a status or a code, and nothing of an answer.
  const hasMessage = typeof value.message === 'string' && ['code', 'status', 'status_code'].some((key) => key in value)
  const isBare = hasMessage || 'detail' in value || 'errors' in value
  return isBare && !('choices' in value) && !('usage' in value) ? value : undefined
}

function toFailure(evidence: ErrorEvidence, details: Partial<Failure>): Failure {
  const { status } = evidence
  const code = failureCodeOf(evidence)
  const providerMessage = providerMessageOf(evidence.message)
  return failureOf(kindOf(evidence), {
    ...details,
    ...(status === undefined ? undefined : { status }),
    ...(code === undefined ? undefined : { code }),
    ...(providerMessage === undefined ? undefined : { providerMessage }),
  })
}

function kindOf({ words, status, text }: ErrorEvidence): FailureKind {
  const said = new Set(words.map(plainWord))
  return (
    findByCode(CODES, said) ??
    (status !== undefined && PLAIN_STATUSES.has(status) ? undefined : findByMessage(text)) ??
    (status === undefined ? (findByCode(WEAK_CODES, said) ?? 'server_error') : kindOfStatus(status))
  )
}

/** What a status means by itself. */
export function kindOfStatus(status: number): FailureKind {
  switch (status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return 'invalid_request'
    case 401:
    case 402:
    case 403:
      return 'auth_error'
    case 404:
      return 'not_found'
    case 408:
      return 'timeout'
    case 429:
      return 'rate_limit'
    case 529:
      return 'overloaded'
    default:
      return 'server_error'
  }
}

function findByCode(
  rows: readonly (readonly [FailureKind, readonly string[]])[],
  said: ReadonlySet<string>,
): FailureKind | undefined {
  return rows.find(([, codes]) => codes.some((code) => said.has(plainWord(code))))?.[0]
}

function findByMessage(text: string): FailureKind | undefined {
  return text === '' ? undefined : MESSAGES.find(([, pattern]) => pattern.test(text))?.[0]
}

function plainWord(word: string): string {
  return word.toLowerCase().replace(/[_.-]/g, '')
}
