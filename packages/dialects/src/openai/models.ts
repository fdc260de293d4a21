/**
 * The most tokens that a model of OpenAI's writes, by the start of its name; the longest that fits counts. A request for more is
 * refused, so it is made for this many: the answer is the same.
 *
 * https://platform.openai.com/docs/models
 */
const MAX_TOKENS: readonly (readonly [prefix: string, maxTokens: number])[] = [
  ['gpt-5-chat', 16_384],
  ['gpt-5', 128_000],
  ['gpt-4.1', 32_768],
  ['gpt-4o', 16_384],
  ['gpt-4-turbo', 4_096],
  ['gpt-3.5', 4_096],
  ['o1', 100_000],
  ['o3', 100_000],
  ['o4', 100_000],
]

/** Models that take `reasoning_effort`; many others refuse a request that has it. */
const TAKES_EFFORT = /^(?:o\d|gpt-oss|gpt-[5-9](?!\S*-chat))/

/** Models that refuse `max_tokens`; the servers of most others know nothing else. */
const NEEDS_MAX_COMPLETION_TOKENS = /^(?:o\d|gpt-5)/

/** What depends on the model that is asked. */
export interface ModelTraits {
  /** How the limit of the answer is called. */
  readonly maxTokensName: 'max_tokens' | 'max_completion_tokens'
  /** `Infinity` where it is not known. */
  readonly maxTokens: number
  readonly takesEffort: boolean
}

/** What is known of a model by its name, whatever a gateway puts in front of it. */
export function traitsOf(model: string): ModelTraits {
  const name = model.slice(model.lastIndexOf('/') + 1)
  return {
    maxTokensName: NEEDS_MAX_COMPLETION_TOKENS.test(name) ? 'max_completion_tokens' : 'max_tokens',
    maxTokens: MAX_TOKENS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? Infinity,
    takesEffort: TAKES_EFFORT.test(name),
  }
}
