import { ConfigError } from '@understudy/config'
import type { ResolvedProxy } from '@understudy/config'
import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import { Agent, EnvHttpProxyAgent, Pool, ProxyAgent } from 'undici'
import { CancellableClient } from './cancellable-client.js'
import type { ClockSkew } from './clock-skew.js'
import { TunnelClient } from './tunnel-client.js'

/** How providers are reached: connections of its own for each provider name, so that one cannot use up another's. */
export interface ProviderAgents {
  /** What the requests of this provider are dispatched on; the same one each time. Throws a `ConfigError` if a proxy is not a URL. */
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
const WITHOUT_LIMIT = { timeout: 0 }
const AGENT_OPTIONS = {
  headersTimeout: 0,
  bodyTimeout: 0,
  connect: WITHOUT_LIMIT,
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
  const tunnels = new Set<Duplex>()
  let closing: Promise<void> | undefined

  return {
    dispatcherOf: (provider) => {
      const known = agents.get(provider)
      if (known !== undefined) return known
      const made = createAgent(proxy, tunnels)
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
      // Those that wait for their TLS are nobody's yet.
      for (const socket of tunnels) socket.destroy()
      return closing
    },
  }
}

function createAgent(proxy: ResolvedProxy, tunnels: Set<Duplex>): Dispatcher {
  const given = PROXY_VARIABLES.filter((name) => process.env[name])
  if (proxy.type === 'none' || (proxy.type === 'environment' && given.length === 0)) return new Agent(AGENT_OPTIONS)
  const options = {
    ...AGENT_OPTIONS,
    clientFactory: (origin: URL, clientOptions: object): Dispatcher => new TunnelClient(origin, clientOptions, tunnels),
    proxyTls: WITHOUT_LIMIT,
    requestTls: WITHOUT_LIMIT,
  }
  try {
    return proxy.type === 'url' ? new ProxyAgent({ ...options, uri: proxy.url() }) : new EnvHttpProxyAgent(options)
  } catch {
    // What was thrown quotes the URL, which may hold a password.
    const wrong = given.filter((name) => !isProxy(process.env[name]))
    const from = proxy.type === 'url' ? '' : `of the environment (${(wrong.length > 0 ? wrong : given).join(', ')}) `
    throw new ConfigError([{ path: 'proxy', message: `${from}is not a URL such as http://proxy.example:3128` }])
  }
}

function isProxy(text: string | undefined): boolean {
  return text !== undefined && URL.canParse(text) && /^(?:https?|socks5?):$/.test(new URL(text).protocol)
}
