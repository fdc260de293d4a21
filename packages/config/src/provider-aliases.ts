import { suggestName } from './nearest-name.js'
import { quote } from './show.js'

/** What people call a provider of the catalogue otherwise: by its product, its company or the package of another library. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['openai', ['gpt', 'chatgpt', 'open-ai', 'openai-chat', 'openai-completions']],
  ['openai-responses', ['responses']],
  ['anthropic', ['claude', 'claude-ai']],
  ['google', ['gemini', 'google-gemini', 'google-ai', 'googleai', 'google-genai', 'google-generative-ai', 'bard']],
  ['vertex', ['vertexai', 'vertex-ai', 'google-vertex', 'gcp', 'google-cloud']],
  ['bedrock', ['aws', 'amazon', 'aws-bedrock', 'amazon-bedrock', 'nova']],
  ['azure', ['azure-openai', 'azureopenai', 'microsoft', 'azure-ai']],
  // One letter from the name of another company.
  ['xai', ['grok', 'x-ai', 'x.ai']],
  ['groq', ['grok', 'groqcloud']],
  ['qwen', ['dashscope', 'alibaba', 'aliyun', 'tongyi']],
  ['mistral', ['mistralai', 'mistral-ai', 'le-chat']],
  ['perplexity', ['pplx', 'sonar']],
  ['together', ['togetherai', 'together-ai']],
  ['fireworks', ['fireworksai', 'fireworks-ai']],
])

/** Which provider was probably meant, or else all that there are: the second half of a message. `known` = those that can be named. */
export function suggestProvider(name: string, known: readonly string[]): string {
  const meant = known.filter((other) => ALIASES.get(other)?.includes(name.toLowerCase()) === true)
  return meant.length === 0 ? suggestName(name, known) : `did you mean ${meant.map(quote).join(' or ')}?`
}
