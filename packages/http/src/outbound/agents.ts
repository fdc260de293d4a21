import type { ResolvedProxy } from '@understudy/config'
import type { Dispatcher } from 'undici'
import { Agent, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici'
import { CancellableClient } from './cancellable-client.js'
import type { ClockSkew } from './clock-skew.js'

/** How providers are reached: connections of its own for each provider name, so that one cannot use up another's. */
export interface ProviderAgents {
  /** What the requests of this provider are dispatched on; the same one each time. Throws if a proxy is not a URL. */
  readonly dispatcherOf: (provider: string) => Dispatcher
  /** What is known of this provider's clock; the same one each time. */
  readonly skewOf: (provider: string) => ClockSkew
  /** Ends every connection, those in use too, and opens no other one. A second call does nothing more. */
  readonly close: () => Promise<void>
}

/** What agents are made with. */
export interface ProviderAgentsOptions {
  /** Default by HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  readonly proxy?: ResolvedProxy | undefined
}

const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const

/** How long an idle connection is kept where the provider does not say. */
const KEEP_ALIVE_MS = 10_000

// The limits of the attempt rule; undici's own are off.
const AGENT_OPTIONS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  connect: { timeout: 0 },
  keepAliveTimeout: KEEP_ALIVE_MS,
  factory: (origin: string | URL, options: object): Dispatcher =>
    new Pool(origin, {
      ...options,
      factory: (poolOrigin, clientOptions) => new CancellableClient(poolOrigin, clientOptions),
    }),
} satisfies Agent.Options

/** Makes the agents of one `Fallback`. Idle connections do not keep the process alive. */
export function createProviderAgents({ proxy = { type: 'environment' } }: ProviderAgentsOptions = {}): ProviderAgents {
  const agents = new Map<string, Dispatcher>()
  const skews = new Map<string, ClockSkew>()
  let closing: Promise<void> | undefined

  return {
    dispatcherOf: (provider) => {
      const known = agents.get(provider)
      if (known !== undefined) return known
      const made = createAgent(proxy)
      agents.set(provider, made)
      return made
    },
    skewOf: (provider) => {
      const known = skews.get(provider) ?? { ms: 0 }
      skews.set(provider, known)
      return known
    },
    close: () => {
      closing ??= Promise.all([...agents.values()].map((agent) => agent.destroy())).then(() => undefined)
      return closing
    },
  }
}

function createAgent(proxy: ResolvedProxy): Dispatcher {
  const direct = proxy.type === 'environment' && !PROXY_VARIABLES.some((name) => process.env[name])
  if (direct || proxy.type === 'none') return new Agent(AGENT_OPTIONS)
  try {
    return proxy.type === 'url'
      ? new ProxyAgent({ ...AGENT_OPTIONS, uri: proxy.url() })
      : new EnvHttpProxyAgent(AGENT_OPTIONS)
  } catch {
    // What was thrown quotes the URL, which may hold a password.
    const where = proxy.type === 'url' ? 'option proxy' : PROXY_VARIABLES.join(', ')
    throw new Error(`${where}: the proxy's address is not a URL such as http://proxy.example:3128`)
  }
}
