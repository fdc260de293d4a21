/** Families of models that reason before they answer, and so may be silent for long. Matched against the bare name. */
const FAMILIES: readonly { readonly family: string; readonly names: RegExp; readonly but?: RegExp }[] = [
  { family: 'OpenAI o1, o3, o4', names: /^o[134](?:-|$)/ },
  { family: 'OpenAI gpt-5', names: /^gpt-5(?:[.-]|$)/, but: /-chat(?:-|$)/ },
  { family: 'OpenAI gpt-oss', names: /^gpt-oss(?:[:-]|$)/ },
  { family: 'DeepSeek R1', names: /(?:^|-)r1(?:[:-]|$)/ },
  { family: 'Qwen QwQ, QvQ', names: /^q[wv]q(?:[:-]|$)/ },
  { family: 'xAI grok-3-mini', names: /^grok-3-mini(?:-|$)/ },
  { family: 'xAI grok-4', names: /^grok-4(?:[.-]|$)/, but: /non-reasoning/ },
  { family: 'xAI grok-code', names: /^grok-code(?:-|$)/ },
  { family: 'Mistral Magistral', names: /^magistral(?:[:-]|$)/ },
  { family: 'Google Gemini 2.5, 3', names: /^gemini-(?:2\.5|3)(?:[.-]|$)/, but: /-(?:lite|image|tts)(?:-|$)/ },
  // https://platform.claude.com/docs/en/build-with-claude/thinking: what happens where a request does not ask for it
  { family: 'Anthropic Mythos, Fable', names: /(?:^|\.)claude-(?:mythos|fable)(?:[@:.-]|$)/ },
  { family: 'Anthropic Claude from 5 on', names: /(?:^|\.)claude-[a-z]+-(?:[5-9]|\d\d)(?:[@:.-]|$)/ },
  { family: 'Perplexity deep research', names: /^sonar-deep-research$/ },
  { family: 'any that says so', names: /(?:^|[:-])(?:thinking|reason(?:ing|er))(?:[:-]|$)/, but: /non-/ },
]

/** What Bedrock puts in front of a model's name: where it may run, and whose it is. */
const AT_BEDROCK = /^(?:(?:us|us-gov|eu|apac|jp|au|ca|global)\.)?(?:anthropic|openai|deepseek|qwen|mistral|moonshot|minimax)\./

/**
 * Whether a model is known to reason before it answers, which lengthens the default wait for its first content. A
 * vendor in front of the name (`deepseek/deepseek-r1`, `accounts/x/models/y`, `us.deepseek.r1-v1:0`) is passed over.
 */
export function isReasoningModel(model: string): boolean {
  const bare = model.slice(model.lastIndexOf('/') + 1).toLowerCase().replace(AT_BEDROCK, '')
  return FAMILIES.some(({ names, but }) => names.test(bare) && but?.test(bare) !== true)
}
