import type { Dialect } from '@understudy/core'
import type { CloudName } from './cloud.js'
import { readOllamaHost } from './ollama-host.js'

/** What is known of a provider without anybody writing it down. */
export interface CatalogueEntry {
  readonly dialect: Dialect
  /** Absent where every account has a URL of its own. */
  readonly baseURL?: string | undefined
  /** A variable that moves the base URL, and how the vendor's own clients read it. */
  readonly baseURLEnv?: { readonly name: string; readonly read: (value: string) => string } | undefined
  /** The variables that the vendor's own clients read the key from; the first that is set counts. */
  readonly keyEnv: readonly string[]
  /** Whether it may be asked without a key. Default false. */
  readonly keyOptional?: boolean | undefined
  /** A variable with the api-version, for a provider that is asked in Azure's way. */
  readonly apiVersionEnv?: string | undefined
  /** The cloud that serves the dialect in its own way, and knows where it is and who asks. */
  readonly cloud?: CloudName | undefined
}

const asWritten = (value: string): string => value

/** The well-known providers. Each with the page of the vendor that says so. */
const ENTRIES = {
  // https://platform.openai.com/docs/api-reference/introduction
  openai: { dialect: 'openai', baseURL: 'https://api.openai.com/v1', keyEnv: ['OPENAI_API_KEY'] },
  // https://platform.openai.com/docs/api-reference/responses (the same account, asked in another way)
  'openai-responses': { dialect: 'responses', baseURL: 'https://api.openai.com/v1', keyEnv: ['OPENAI_API_KEY'] },
  // https://docs.anthropic.com/en/api/overview
  anthropic: { dialect: 'anthropic', baseURL: 'https://api.anthropic.com', keyEnv: ['ANTHROPIC_API_KEY'] },
  // https://ai.google.dev/gemini-api/docs/api-key (of the two variables the first wins)
  google: {
    dialect: 'gemini',
    baseURL: 'https://generativelanguage.googleapis.com',
    keyEnv: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  },
  // https://cloud.google.com/vertex-ai/generative-ai/docs/start/quickstart (credentials are Google's own, not a key)
  vertex: { dialect: 'gemini', cloud: 'vertex', keyEnv: [] },
  // https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai
  'vertex-anthropic': { dialect: 'anthropic', cloud: 'vertex', keyEnv: [] },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html (the host has the region in it)
  bedrock: {
    dialect: 'bedrock',
    cloud: 'bedrock',
    baseURLEnv: { name: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME', read: asWritten },
    keyEnv: ['AWS_BEARER_TOKEN_BEDROCK'],
  },
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
  'bedrock-anthropic': {
    dialect: 'anthropic',
    cloud: 'bedrock',
    baseURLEnv: { name: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME', read: asWritten },
    keyEnv: ['AWS_BEARER_TOKEN_BEDROCK'],
  },
  // https://learn.microsoft.com/azure/ai-services/openai/reference (the variables are those of OpenAI's own SDK)
  azure: {
    dialect: 'openai',
    baseURLEnv: { name: 'AZURE_OPENAI_ENDPOINT', read: asWritten },
    keyEnv: ['AZURE_OPENAI_API_KEY'],
    apiVersionEnv: 'OPENAI_API_VERSION',
  },
  // https://console.groq.com/docs/openai
  groq: { dialect: 'openai', baseURL: 'https://api.groq.com/openai/v1', keyEnv: ['GROQ_API_KEY'] },
  // https://openrouter.ai/docs/quickstart
  openrouter: { dialect: 'openai', baseURL: 'https://openrouter.ai/api/v1', keyEnv: ['OPENROUTER_API_KEY'] },
  // https://docs.mistral.ai/api/
  mistral: { dialect: 'openai', baseURL: 'https://api.mistral.ai/v1', keyEnv: ['MISTRAL_API_KEY'] },
  // https://api-docs.deepseek.com/
  deepseek: { dialect: 'openai', baseURL: 'https://api.deepseek.com', keyEnv: ['DEEPSEEK_API_KEY'] },
  // https://docs.x.ai/api/integrations
  xai: { dialect: 'openai', baseURL: 'https://api.x.ai/v1', keyEnv: ['XAI_API_KEY'] },
  // https://docs.together.ai/docs/inference/openai-compatibility
  together: { dialect: 'openai', baseURL: 'https://api.together.ai/v1', keyEnv: ['TOGETHER_API_KEY'] },
  // https://docs.fireworks.ai/tools-sdks/openai-compatibility
  fireworks: { dialect: 'openai', baseURL: 'https://api.fireworks.ai/inference/v1', keyEnv: ['FIREWORKS_API_KEY'] },
  // https://inference-docs.cerebras.ai/resources/openai
  cerebras: { dialect: 'openai', baseURL: 'https://api.cerebras.ai/v1', keyEnv: ['CEREBRAS_API_KEY'] },
  // https://docs.perplexity.ai/docs/sonar/openai-compatibility
  perplexity: { dialect: 'openai', baseURL: 'https://api.perplexity.ai', keyEnv: ['PERPLEXITY_API_KEY'] },
  // https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope
  // (Singapore; a key is good for one region)
  qwen: {
    dialect: 'openai',
    baseURL: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyEnv: ['DASHSCOPE_API_KEY'],
  },
  // https://docs.ollama.com/api/openai-compatibility (the key is for a server behind Ollama's cloud)
  ollama: {
    dialect: 'openai',
    baseURL: 'http://localhost:11434/v1',
    baseURLEnv: { name: 'OLLAMA_HOST', read: readOllamaHost },
    keyEnv: ['OLLAMA_API_KEY'],
    keyOptional: true,
  },
  // https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html
  vllm: { dialect: 'openai', baseURL: 'http://localhost:8000/v1', keyEnv: ['VLLM_API_KEY'], keyOptional: true },
  // https://lmstudio.ai/docs/developer/openai-compat
  lmstudio: { dialect: 'openai', baseURL: 'http://localhost:1234/v1', keyEnv: [], keyOptional: true },
} as const satisfies Record<string, CatalogueEntry>

/** The well-known providers by name. */
export const CATALOGUE: ReadonlyMap<string, CatalogueEntry> = new Map<string, CatalogueEntry>(Object.entries(ENTRIES))
