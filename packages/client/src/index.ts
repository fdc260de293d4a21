export { isLegFailedError, LegFailedError } from '@understudy/core'
export { isUntranslatableRequestError, UntranslatableRequestError } from '@understudy/dialects'
export {
  isProviderUnavailableError,
  isUntranslatableModelError,
  ProviderUnavailableError,
  UntranslatableModelError,
} from './errors.js'
export { withFallback } from './with-fallback.js'

export type { FallbackEntry, RequestParams, WithFallbackOptions } from './options.js'
export type { AnthropicClient, BedrockClient, GeminiClient, OpenAIClient, SdkClient } from './sdk-client.js'
