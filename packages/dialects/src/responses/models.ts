export { traitsOf } from '../openai/models.js'
export type { ModelTraits } from '../openai/models.js'

/**
 * The least that the service takes for `max_output_tokens`.
 *
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export const MIN_OUTPUT_TOKENS = 16
