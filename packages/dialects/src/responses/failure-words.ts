import type { FailureWords } from '../failure-kind.js'
import { CODES, MESSAGES, PLAIN_STATUSES, WEAK_CODES } from '../openai/failure-words.js'

/**
 * What the errors of this API mean: what those of chat completions do, and the codes that only a response has.
 *
 * https://platform.openai.com/docs/api-reference/responses/object, https://platform.openai.com/docs/guides/error-codes
 */
export const FAILURE_WORDS: FailureWords = {
  codes: [
    ['content_filter', ['image_content_policy_violation']],
    // Another leg may be the one that holds it.
    ['not_found', ['previous_response_not_found']],
    ['server_error', ['vector_store_timeout']],
    [
      'invalid_request',
      [
        'invalid_image',
        'invalid_image_format',
        'invalid_base64_image',
        'invalid_image_url',
        'invalid_image_mode',
        'image_too_large',
        'image_too_small',
        'image_parse_error',
        'image_file_too_large',
        'image_file_not_found',
        'unsupported_image_media_type',
        'empty_image_file',
        'failed_to_download_image',
      ],
    ],
    ...CODES,
  ],
  weakCodes: WEAK_CODES,
  messages: MESSAGES,
  plainStatuses: PLAIN_STATUSES,
}
