/** What depends on the model that is asked. */
export interface ModelTraits {
  /** The most tokens that the model writes: what is asked for where the request says nothing, since the API demands a number. */
  readonly maxTokens: number
  /** Whether a request for more is refused, so that it is made for `maxTokens`: the answer is the same. */
  readonly isLimit: boolean
  /** How it is asked to think: with a budget of tokens, as it sees fit, or not at all. */
  readonly thinking: 'budget' | 'adaptive' | 'none'
  /** Whether it takes `temperature`, `top_p` and `top_k`: all of them, only one of the first two, or none. */
  readonly sampling: 'all' | 'one' | 'none'
}

/** Of a model whose name says no version: a compatible server's, or an alias. */
const UNKNOWN: ModelTraits = { maxTokens: 8_192, isLimit: false, thinking: 'budget', sampling: 'all' }

/**
 * From which version on (major x 100 + minor) a trait holds, the newest first.
 *
 * https://platform.claude.com/docs/en/about-claude/models/overview,
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking,
 * https://platform.claude.com/docs/en/about-claude/models/migration-guide
 */
const BY_VERSION: readonly (readonly [from: number, traits: Omit<ModelTraits, 'isLimit'>])[] = [
  [4_07, { maxTokens: 128_000, thinking: 'adaptive', sampling: 'none' }],
  [4_06, { maxTokens: 128_000, thinking: 'adaptive', sampling: 'one' }],
  [4_05, { maxTokens: 64_000, thinking: 'budget', sampling: 'one' }],
  [4_01, { maxTokens: 32_000, thinking: 'budget', sampling: 'one' }],
  [4_00, { maxTokens: 32_000, thinking: 'budget', sampling: 'all' }],
  [3_07, { maxTokens: 64_000, thinking: 'budget', sampling: 'all' }],
  [3_05, { maxTokens: 8_192, thinking: 'none', sampling: 'all' }],
  [0, { maxTokens: 4_096, thinking: 'none', sampling: 'all' }],
]

/** The version in `claude-sonnet-4-5-20250929` or `claude-3-7-sonnet-latest`; the eight digits of a date are none. */
const VERSION = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/

/** Major x 100 + minor, by the model's name, whatever a vendor or a region puts in front of it; -1 where that says none. */
export function versionOf(model: string): number {
  const [, major, minor = '0'] = VERSION.exec(model.toLowerCase()) ?? []
  return major === undefined ? -1 : Number(major) * 100 + Number(minor)
}

/** What is known of a model by its name. */
export function traitsOf(model: string): ModelTraits {
  const version = versionOf(model)
  const traits = BY_VERSION.find(([from]) => version >= from)?.[1]
  return traits === undefined ? UNKNOWN : { ...traits, isLimit: true }
}
