import type { ConfigIssue } from '@understudy/config'
import { ConfigError, isConnectionHeader, quote } from '@understudy/config'

/** What a header is sent with: a text, or the variable that holds it. */
export type HeaderInput = string | { readonly env: string }

/** What is asked. Only `host` is ever shown: a path and a query may hold a secret. */
export interface HttpSourceTarget {
  readonly origin: string
  readonly path: string
  readonly host: string
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const UNFIT = /[^\t\x20-\x7e\x80-\xff]/

/** Ours, or made by the connection. */
const RESERVED = new Set(['if-none-match', 'accept-encoding', 'host'])

/** The parts of the address. */
export function readTarget(url: string | URL): HttpSourceTarget {
  const parsed = URL.canParse(String(url)) ? new URL(url) : undefined
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new ConfigError([{ path: 'httpSource.url', message: 'is not an http:// or https:// URL' }])
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new ConfigError([{ path: 'httpSource.url', message: 'holds credentials; give them as headers' }])
  }
  return { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}`, host: parsed.host }
}

/** The headers of each request. The function holds them, so that printing the source does not show them. */
export function readHeaders(
  input: Readonly<Record<string, HeaderInput>>,
  env: Readonly<Record<string, string | undefined>>,
): () => Record<string, string> {
  const issues: ConfigIssue[] = []
  const headers = new Map<string, string>()
  for (const [written, value] of Object.entries(input)) {
    const path = `httpSource.headers[${quote(written)}]`
    const name = written.toLowerCase()
    const text = typeof value === 'object' && value !== null ? fromEnv(value, env) : value
    const wrong = whyNoName(name, headers) ?? whyNoValue(text, value)
    if (wrong !== undefined) issues.push({ path, message: wrong })
    headers.set(name, String(text))
  }
  if (issues.length > 0) throw new ConfigError(issues)
  return () => Object.fromEntries(headers)
}

function fromEnv({ env: name }: { readonly env: string }, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = typeof name === 'string' && Object.hasOwn(env, name) ? env[name]?.trim() : undefined
  return value === '' ? undefined : value
}

function whyNoName(name: string, others: ReadonlyMap<string, string>): string | undefined {
  if (!NAME.test(name)) return 'is no header name'
  if (RESERVED.has(name) || isConnectionHeader(name)) return 'is a header that is made here'
  return others.has(name) ? 'is given twice; header names do not distinguish case' : undefined
}

function whyNoValue(text: unknown, value: HeaderInput): string | undefined {
  if (typeof text === 'string') return text === '' || UNFIT.test(text) ? 'has a value that no header can have' : undefined
  const variable = typeof value === 'object' && value !== null ? value.env : undefined
  return typeof variable === 'string' ? `the environment variable ${quote(variable)} is not set` : `is no text and no { env: 'NAME' }`
}
