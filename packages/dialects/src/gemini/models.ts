/** How a model is asked to think. */
export type ThinkingTraits =
  /** With a number of tokens in these bounds. `mayBeOff`: 0 turns it off. */
  | { readonly by: 'budget'; readonly min: number; readonly max: number; readonly mayBeOff: boolean }
  /** With a word: `low`, perhaps `medium`, or `high`; `minimal` is not known to all of them. It cannot be turned off. */
  | { readonly by: 'level'; readonly hasMedium: boolean }
  | { readonly by: 'none' }

/** What depends on the model that is asked. */
export interface ModelTraits {
  /** The most tokens that the model writes; more is refused, so it is asked for these: the answer is the same. `Infinity`: not known. */
  readonly maxTokens: number
  readonly thinking: ThinkingTraits
  /** Whether it refuses a call in the history that does not carry the signature of the thought before it. */
  readonly needsSignatures: boolean
  /** Whether it takes tools beside an answer in JSON. */
  readonly takesToolsWithJson: boolean
}

const UNKNOWN: ModelTraits = { maxTokens: Infinity, thinking: { by: 'none' }, needsSignatures: false, takesToolsWithJson: true }

const VERSION = /gemini-(\d{1,2})(?:\.(\d{1,2}))?(?!\d)/

/** A name that follows the newest model of its kind. */
const LATEST = /gemini-(?:pro|flash|flash-lite)-latest/

/** Models that make pictures or speech think as they like. */
const OTHER_OUTPUT = /-(?:image|tts|audio|live)\b/

/**
 * What is known of a model by its name, whatever a gateway puts in front of it.
 *
 * https://ai.google.dev/gemini-api/docs/models, https://ai.google.dev/gemini-api/docs/thinking,
 * https://ai.google.dev/gemini-api/docs/thought-signatures, https://ai.google.dev/gemini-api/docs/structured-output
 */
export function traitsOf(model: string): ModelTraits {
  const name = model.toLowerCase()
  const [, major, minor = '0'] = VERSION.exec(name) ?? []
  if (major === undefined && !LATEST.test(name)) return UNKNOWN
  const version = major === undefined ? Infinity : Number(major) * 100 + Number(minor)
  const isOld = version < 2_05
  return {
    maxTokens: isOld ? 8_192 : 65_536,
    thinking: isOld || OTHER_OUTPUT.test(name) ? { by: 'none' } : thinkingOf(name, version),
    needsSignatures: version >= 3_00,
    takesToolsWithJson: version >= 3_00,
  }
}

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thinking has the bounds and the words of each model. */
function thinkingOf(name: string, version: number): ThinkingTraits {
  if (version >= 3_00) {
    const isPro = name.includes('-pro')
    return { by: 'level', hasMedium: !isPro || version > 3_00 }
  }
  if (name.includes('-lite')) return { by: 'budget', min: 512, max: 24_576, mayBeOff: true }
  if (name.includes('-pro')) return { by: 'budget', min: 128, max: 32_768, mayBeOff: false }
  return { by: 'budget', min: 1, max: 24_576, mayBeOff: true }
}
