import { isConnectionHeader } from '@understudy/config'
import type { ResolvedProvider } from '@understudy/config'
import { USER_AGENT } from './user-agent.js'

/** The headers of a leg's requests, for undici: names and values in turn. Holds no credential. */
export interface RequestHeaders {
  readonly stream: readonly string[]
  readonly document: readonly string[]
}

const SHARED = [
  ['content-type', 'application/json'],
  ['user-agent', USER_AGENT],
] as const

/** The version that our reading is of; a client's own wins. https://platform.claude.com/docs/en/api/versioning */
const ANTHROPIC_VERSION = ['anthropic-version', '2023-06-01'] as const

/**
 * The headers that do not depend on the request. The provider's own win over ours, but not over `without`, the name
 * under which the credential is sent. Throws if one of them cannot be sent; the message has its name and not its value.
 */
export function requestHeaders(provider: ResolvedProvider, without?: string): RequestHeaders {
  const own = Object.entries(provider.headers()).map(
    ([name, value]) => [checkedName(name, value, provider), value] as const,
  )
  const shared = provider.dialect === 'anthropic' && provider.cloud === undefined ? [...SHARED, ANTHROPIC_VERSION] : SHARED
  const all = (ours: Readonly<Record<string, string>>): string[] =>
    [...new Map([...Object.entries(ours), ...shared, ...own])].filter(([name]) => name !== without).flat()
  const events = provider.cloud?.type === 'bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
  return {
    // Compressed events would wait in the compressor.
    stream: all({ accept: events, 'accept-encoding': 'identity' }),
    document: all({ accept: 'application/json' }),
  }
}

function checkedName(name: string, value: unknown, provider: ResolvedProvider): string {
  if (!isHeaderName(name)) {
    throw new Error(`provider '${provider.name}': header '${name}' is not one that can be set`)
  }
  if (!isHeaderValue(value)) {
    throw new Error(`provider '${provider.name}': the value of header '${name}' has characters that cannot be sent`)
  }
  return name.toLowerCase()
}

/** Whether a person's config or code may set it. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+.^`|~\w-]+$/.test(name) && !isConnectionHeader(name)
}

/** `base` with more names and values behind it, which win. */
export function withHeaders(base: readonly string[], more: readonly string[]): readonly string[] {
  if (more.length === 0) return base
  const names = new Set(more.filter((_text, index) => index % 2 === 0))
  return [...base.filter((_text, index) => !names.has(base[index - (index % 2)] ?? '')), ...more]
}

/** Whether HTTP can carry it: Latin-1 without control characters. */
export function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)
}
