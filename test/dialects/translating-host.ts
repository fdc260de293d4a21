import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { createFallback, type FallbackOptions, type ProviderInput } from '@understudy/http'
import { startSimulator, type Simulator, type Step } from '@understudy/simulator'
import OpenAI from 'openai'
import { startHost, type SetUp } from '../cases/hosts.js'

/** A vendor, as a client or as a leg. */
export type Vendor = 'openai' | 'responses' | 'anthropic' | 'gemini'

/** A cloud that serves a vendor's models in its own way: a leg only. */
export type Cloud = 'bedrock' | 'vertex' | 'anthropic on bedrock' | 'anthropic on vertex'

/** The client of each vendor. */
export interface Clients {
  readonly openai: OpenAI
  /** The same client, asked for responses. */
  readonly responses: OpenAI
  readonly anthropic: Anthropic
  readonly gemini: GoogleGenAI
}

/** A host whose two legs may speak different dialects, with all vendors' clients in front of it. */
export interface TranslatingHost extends Clients {
  readonly first: Simulator
  readonly second: Simulator
  close(): Promise<void>
}

export interface LegSetUp {
  readonly vendor: Vendor | Cloud
  readonly step: Step
}

/** The model that a leg of a vendor is asked for: one whose traits are known. */
export const MODELS = { openai: 'gpt-4.1', responses: 'gpt-4.1-mini', anthropic: 'claude-sonnet-4-5', gemini: 'gemini-2.5-pro' } as const

/** The same at a cloud, by that cloud's name for it. */
export const CLOUD_MODELS = {
  bedrock: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0',
  vertex: 'gemini-2.5-pro',
  'anthropic on bedrock': 'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'anthropic on vertex': 'claude-sonnet-4-5@20250929',
} as const satisfies Record<Cloud, string>

/** What a leg at AWS signs with. */
export const AWS_KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a/secret+key', sessionToken: 'a-token/+=' }

/** Starts both legs, which are strict about what they are asked, and the host. */
export async function startTranslatingHost(
  setUp: SetUp,
  first: LegSetUp,
  second: LegSetUp,
  options: FallbackOptions = {},
): Promise<TranslatingHost> {
  const [one, other] = await Promise.all([simulatorOf(first.step), simulatorOf(second.step)])
  const fallback = createFallback(
    { chat: [`first/${modelOf(first.vendor)}`, `second/${modelOf(second.vendor)}`] },
    {
      providers: {
        first: providerOf(first.vendor, one.url, 'key-1'),
        second: providerOf(second.vendor, other.url, 'key-2'),
      },
      proxy: false,
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      ...options,
    },
  )
  const host = await startHost(setUp, fallback)
  const origin = `http://127.0.0.1:${host.port}`
  return {
    ...clientsOf(origin),
    first: one,
    second: other,
    close: async () => {
      await host.close()
      await fallback.close()
      await Promise.all([one.close(), other.close()])
    },
  }
}

/** The model that a leg is asked for. */
export function modelOf(vendor: Vendor | Cloud): string {
  return { ...MODELS, ...CLOUD_MODELS }[vendor]
}

/** The provider that a leg of a vendor stands for. */
export function providerOf(vendor: Vendor | Cloud, url: string, apiKey: string): ProviderInput {
  const baseURL = new URL(url).origin
  switch (vendor) {
    case 'bedrock':
      return { dialect: 'bedrock', baseURL, region: 'eu-west-1', credentials: AWS_KEYS }
    case 'anthropic on bedrock':
      return { dialect: 'anthropic', cloud: 'bedrock', baseURL, region: 'us-east-1', credentials: async () => AWS_KEYS }
    case 'vertex':
      return { dialect: 'gemini', cloud: 'vertex', baseURL, project: 'p-1', apiKey: async () => apiKey }
    case 'anthropic on vertex':
      return { dialect: 'anthropic', cloud: 'vertex', baseURL, project: 'p-1', location: 'europe-west1', apiKey: async () => apiKey }
    default:
      return { dialect: vendor, baseURL: url, apiKey }
  }
}

function simulatorOf(step: Step): Promise<Simulator> {
  return startSimulator({ script: { fallback: step, strict: true, aws: AWS_KEYS } })
}

/** The vendors' clients, with no retries of their own. */
export function clientsOf(origin: string): Clients {
  const openai = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'the-callers', maxRetries: 0 })
  return {
    openai,
    responses: openai,
    anthropic: new Anthropic({ baseURL: origin, apiKey: 'the-callers', authToken: null, maxRetries: 0 }),
    gemini: new GoogleGenAI({ apiKey: 'the-callers', httpOptions: { baseUrl: origin } }),
  }
}
