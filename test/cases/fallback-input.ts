import { fileSource } from '@understudy/config'
import type { FallbackOptions, RoutesInput } from '@understudy/http'
import type { Case } from './case.js'
import type { FakeLeg } from './fake-legs.js'
import { isInCode } from './reload-file.js'
import { openedBy, remembering } from './remembering.js'

/** The limits that the cases are written for, in ms. */
export const defaultFirstTokenMs = 300
export const defaultIdleMs = 400
const defaultOverallMs = 5_000
/** The dialects of the data, and what they are called here. */
const dialects = { openai: 'openai', 'openai-responses': 'responses', anthropic: 'anthropic', gemini: 'gemini', bedrock: 'bedrock' } as const
const breaker = { failureThreshold: openedBy, recoveryMs: 1_000, jitter: 0 }

/** What a host would write for a case. */
export function fallbackInput(
  of: Case,
  legs: readonly FakeLeg[],
  logs: { level: string, text: string }[],
  watchedPath?: string,
): { readonly routes: RoutesInput, readonly options: FallbackOptions } {
  const { upstream, config = {} } = of
  const { firstTokenMs = defaultFirstTokenMs, idleMs = defaultIdleMs, overallMs = defaultOverallMs } = config
  const { retriesPerLeg = 0, advanceOn, keys = {}, recoveryMs = {}, whenAllOpen } = config
  const remembers = remembering.has(of.id)
  const log = (level: string) => (fields: object, message?: string) =>
    void logs.push({ level, text: `${message ?? ''} ${JSON.stringify(fields)}` })
  const routes: Record<string, unknown> = {
    chat: {
      legs: upstream
        .map(({ leg }, index) => ({ leg, provider: providerNameOf(of, leg), model: modelOf(of, leg, index) }))
        .filter(({ leg }) => watchedPath === undefined || isInCode(of, leg))
        .map(({ provider, model }) => ({ provider, model })),
      ...(advanceOn === undefined ? {} : { advanceOn }),
    },
  }
  const options: FallbackOptions = {
    providers: Object.fromEntries(legs.map(({ name, baseURL }) => [
      providerNameOf(of, name),
      {
        ...placeOf(dialectOf(of, name), baseURL),
        ...(keys[name] === undefined ? {} : { apiKey: keys[name] }),
        ...(recoveryMs[name] === undefined ? {} : { breaker: { recoveryMs: recoveryMs[name] } }),
      },
    ])),
    firstContentTimeoutMs: firstTokenMs,
    idleTimeoutMs: idleMs,
    deadlineMs: overallMs === 0 ? false : overallMs,
    minAttemptMs: 50,
    retries: retriesPerLeg,
    // A leg that fails in every round would soon be left out, so it is on only where a case is about it.
    breaker: remembers && breaker,
    cooldown: remembers,
    ...(whenAllOpen === undefined ? {} : { whenAllOpen }),
    ...(watchedPath === undefined ? {} : { chains: { source: fileSource(watchedPath) } }),
    proxy: false,
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  }
  // The data's kinds are text; the mount checks them.
  return { routes: routes as RoutesInput, options }
}

/** The provider that stands for a leg. */
export function providerNameOf({ config }: Case, leg: string): string {
  return config?.legNames?.[leg] ?? leg
}

/** Bedrock has no version in front of its paths, and lets nobody in who does not say who asks. */
function placeOf(dialect: ReturnType<typeof dialectOf>, baseURL: string) {
  if (dialect !== 'bedrock') return { dialect, baseURL }
  return { dialect, baseURL: new URL(baseURL).origin, region: 'us-east-1', credentials: { accessKeyId: 'AKID', secretAccessKey: 'secret' } }
}

function dialectOf({ id, upstream }: Case, leg: string): (typeof dialects)[keyof typeof dialects] {
  const { dialect = 'openai' } = upstream.find((other) => other.leg === leg) ?? {}
  const [, spoken] = Object.entries(dialects).find(([known]) => known === dialect) ?? []
  if (spoken === undefined) throw new Error(`${id}: no leg speaks ${dialect}`)
  return spoken
}

/** A case may name a leg several times; each is another model of it. */
function modelOf(of: Case, leg: string, index: number): string {
  const { upstream, config } = of
  const model = config?.models?.[leg] ?? config?.legNames?.[leg] ?? `m-${leg}`
  return upstream.filter((other) => other.leg === leg).length > 1 ? `${model}-${index + 1}` : model
}
