/** Hosts of well-known providers, and how those are called everywhere here. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['api.anthropic.com', 'anthropic'],
  ['api.cerebras.ai', 'cerebras'],
  ['api.deepseek.com', 'deepseek'],
  ['api.fireworks.ai', 'fireworks'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral'],
  ['api.openai.com', 'openai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.together.ai', 'together'],
  ['api.together.xyz', 'together'],
  ['api.x.ai', 'xai'],
  ['dashscope-intl.aliyuncs.com', 'qwen'],
  ['dashscope.aliyuncs.com', 'qwen'],
  ['generativelanguage.googleapis.com', 'google'],
  ['localhost:11434', 'ollama'],
  ['openrouter.ai', 'openrouter'],
])

/** The name of the provider behind a base URL: a well-known one, else the host itself. */
export function providerNameOf(baseURL: unknown): string {
  if (typeof baseURL !== 'string' || !URL.canParse(baseURL)) return 'unnamed'
  const { host } = new URL(baseURL)
  return NAMES.get(host) ?? (host === '' ? 'unnamed' : host)
}
