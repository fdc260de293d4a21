import { createFallback, type FallbackOptions } from '@understudy/http'
import { refusedUrl, startSimulator, type Simulator, type Step } from '@understudy/simulator'
import OpenAI from 'openai'
import { startHost, type Host, type SetUp } from './hosts.js'

/** A host with two legs, and the vendor's client in front of it. */
export interface SdkHost {
  readonly client: OpenAI
  readonly host: Host
  readonly first: Simulator
  readonly second: Simulator
  close(): Promise<void>
}

export interface SdkHostOptions {
  readonly first: Step | 'refused'
  readonly second: Step
  readonly maxRetries?: number
  readonly fallback?: FallbackOptions
  /** How long the first leg may be silent. Default 300 ms; the second has all the time it needs. */
  readonly firstSilenceMs?: number
}

/** Starts both legs and the host. */
export async function startSdkHost(setUp: SetUp, options: SdkHostOptions): Promise<SdkHost> {
  const { maxRetries = 0, firstSilenceMs: silenceMs = 300 } = options
  const step = options.first === 'refused' ? {} : options.first
  const first = await startSimulator({ script: { fallback: step } })
  const second = await startSimulator({ script: { fallback: options.second } })
  const firstURL = options.first === 'refused' ? await refusedUrl() : first.url
  const fallback = createFallback(
    {
      chat: [
        { provider: 'first', model: 'm-1', firstContentTimeoutMs: silenceMs, idleTimeoutMs: silenceMs },
        'second/m-2',
      ],
    },
    {
      providers: {
        first: { dialect: 'openai', baseURL: firstURL, apiKey: 'key-1' },
        second: { dialect: 'openai', baseURL: second.url, apiKey: 'key-2' },
      },
      proxy: false,
      logger: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      ...options.fallback,
    },
  )
  const host = await startHost(setUp, fallback)
  return {
    client: clientOf(`http://127.0.0.1:${host.port}/v1`, maxRetries),
    host,
    first,
    second,
    close: async () => {
      await host.close()
      await fallback.close()
      await Promise.all([first.close(), second.close()])
    },
  }
}

/** The vendor's client. */
export function clientOf(baseURL: string, maxRetries = 0): OpenAI {
  return new OpenAI({ baseURL, apiKey: 'the-callers', maxRetries })
}
