import { createFallback } from '@understudy/http'
import { startSimulator, type Simulator, type Step } from '@understudy/simulator'
import { startHost, type SetUp } from '../cases/hosts.js'
import { FULL_ANSWER } from './questions.js'
import { AWS_KEYS, modelOf, providerOf, type Cloud, type Vendor } from './translating-host.js'

/** The dialects that a leg may speak. */
export const LEGS = ['openai', 'responses', 'anthropic', 'gemini', 'bedrock'] as const satisfies readonly (Vendor | Cloud)[]
export type LegDialect = (typeof LEGS)[number]

/** What is asked: a conversation with an image and calls of tools, or one line. */
export const KINDS = ['tools', 'plain'] as const
export type Kind = (typeof KINDS)[number]

/** The routes that are asked. LangChain sends images only where the name of the model is one of those that it knows. */
export const ROUTES = { tools: 'gemini-2.5-tools', plain: 'gemini-2.5-plain' } as const satisfies Record<Kind, string>

/** The model of a leg that answers with text alone. */
export const PLAIN_MODELS = {
  openai: 'gpt-4o',
  responses: 'gpt-4o-mini',
  anthropic: 'claude-haiku-4-5',
  gemini: 'gemini-2.5-flash',
  bedrock: 'amazon.nova-lite-v1:0',
} as const satisfies Record<LegDialect, string>

/** An answer of plain text, with what an encoder could stumble over. */
const PLAIN_STEP: Step = { answer: { text: ['Let ', 'me "look"', '.\n\u00e9'] } }
const TOOLS_STEP: Step = { answer: FULL_ANSWER }

/** A host with a failing leg before a healthy one. */
export interface SdkHost {
  readonly origin: string
  readonly first: Simulator
  readonly second: Simulator
  readonly close: () => Promise<void>
}

/** A simulator that answers in every dialect; both kinds are models of its own too, for those who ask it directly. */
export function startVendor(failing?: Step): Promise<Simulator> {
  const plain = [...Object.values(PLAIN_MODELS), ROUTES.plain]
  const models = failing === undefined ? Object.fromEntries(plain.map((model) => [model, [PLAIN_STEP]])) : {}
  return startSimulator({ script: { models, fallback: failing ?? TOOLS_STEP, strict: true, aws: AWS_KEYS } })
}

/** Starts both legs, which are strict about what they are asked, and the host. */
export async function startSdkHost(
  setUp: SetUp,
  first: { readonly leg: LegDialect, readonly step: Step },
  second: LegDialect,
): Promise<SdkHost> {
  const [one, other] = await Promise.all([startVendor(first.step), startVendor()])
  const legsOf = (model: (leg: LegDialect) => string) => [`first/${model(first.leg)}`, `second/${model(second)}`]
  const fallback = createFallback(
    { [ROUTES.tools]: legsOf(modelOf), [ROUTES.plain]: legsOf((leg) => PLAIN_MODELS[leg]) },
    {
      providers: { first: providerOf(first.leg, one.url, 'key-1'), second: providerOf(second, other.url, 'key-2') },
      proxy: false,
      breaker: false,
      cooldown: false,
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
    },
  )
  const host = await startHost(setUp, fallback)
  return {
    origin: `http://127.0.0.1:${host.port}`,
    first: one,
    second: other,
    close: async () => {
      await host.close()
      await fallback.close()
      await Promise.all([one.close(), other.close()])
    },
  }
}
