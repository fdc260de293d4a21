import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { createFallback, type FallbackOptions } from '@understudy/http'
import { startSimulator, type Simulator, type Step } from '@understudy/simulator'
import OpenAI from 'openai'
import { startHost, type SetUp } from '../cases/hosts.js'

/** A vendor, as a client or as a leg. */
export type Vendor = 'openai' | 'responses' | 'anthropic' | 'gemini'

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
  readonly vendor: Vendor
  readonly step: Step
}

/** The model that a leg of a vendor is asked for: one whose traits are known. */
export const MODELS = { openai: 'gpt-4.1', responses: 'gpt-4.1-mini', anthropic: 'claude-sonnet-4-5', gemini: 'gemini-2.5-pro' } as const

/** Starts both legs, which are strict about what they are asked, and the host. */
export async function startTranslatingHost(
  setUp: SetUp,
  first: LegSetUp,
  second: LegSetUp,
  options: FallbackOptions = {},
): Promise<TranslatingHost> {
  const [one, other] = await Promise.all([simulatorOf(first.step), simulatorOf(second.step)])
  const fallback = createFallback(
    { chat: [`first/${MODELS[first.vendor]}`, `second/${MODELS[second.vendor]}`] },
    {
      providers: {
        first: { dialect: first.vendor, baseURL: one.url, apiKey: 'key-1' },
        second: { dialect: second.vendor, baseURL: other.url, apiKey: 'key-2' },
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

function simulatorOf(step: Step): Promise<Simulator> {
  return startSimulator({ script: { fallback: step, strict: true } })
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
