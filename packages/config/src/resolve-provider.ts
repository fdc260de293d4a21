import type { Dialect } from '@understudy/core'
import { readBaseURL } from './base-url.js'
import type { CatalogueEntry } from './catalogue.js'
import { cloudComplaints } from './cloud-complaints.js'
import type { CloudCredentials, CloudName } from './cloud.js'
import type { ConfigIssue } from './config-error.js'
import { credentialName } from './credential-name.js'
import { findCredential, readVariable, type Environment } from './credentials.js'
import type { ProviderInput } from './provider-input.js'
import { reportIssue, type Path } from './report-issue.js'
import { resolveCloud } from './resolve-cloud.js'
import type { ResolvedProvider } from './resolved-config.js'
import { quote } from './show.js'

/** What became of a provider: usable, without something from the environment, or wrong (and reported). */
export type ProviderOutcome =
  | { readonly type: 'ready'; readonly provider: ResolvedProvider }
  | { readonly type: 'incomplete'; readonly why: string }
  | { readonly type: 'wrong' }

/** What a provider is resolved from. */
export interface ProviderSource {
  readonly name: string
  /** What the host wrote; empty if nothing. */
  readonly input: ProviderInput
  /** What the catalogue knows. */
  readonly entry: CatalogueEntry | undefined
  /** Where issues are reported: the entry of `providers`, or the leg that names it. */
  readonly path: Path
}

/** What providers are resolved in. */
export interface ProviderContext {
  readonly env: Environment
  readonly supportedDialects: ReadonlySet<Dialect>
  /** Where a cloud's own credentials come from. Default nowhere: they have to be given. */
  readonly clouds?: CloudCredentials | undefined
  /** Milliseconds since the epoch. Default `Date.now`. */
  readonly now?: (() => number) | undefined
}

const WRONG: ProviderOutcome = { type: 'wrong' }

/** Puts a provider together from what the host wrote, the catalogue and the environment. */
export function resolveProvider(
  { name, input, entry, path }: ProviderSource,
  { env, supportedDialects, clouds, now = Date.now }: ProviderContext,
  issues: ConfigIssue[],
): ProviderOutcome {
  const before = issues.length
  const complain = (member: string, message: string) => reportIssue(issues, [...path, member], message)
  const missing: string[] = []

  const dialect = input.dialect ?? entry?.dialect
  const spoken = [...supportedDialects].join(', ')
  if (dialect === undefined) {
    complain('dialect', `is missing; a provider outside the catalogue needs one of ${spoken}`)
  } else if (!supportedDialects.has(dialect)) {
    reportIssue(issues, path, `provider ${quote(name)} speaks the dialect '${dialect}', which this version cannot `
      + `send yet; it can send ${spoken}`)
    return WRONG
  }

  const cloudName = input.cloud ?? entry?.cloud ?? (dialect === 'bedrock' ? 'bedrock' : undefined)
  for (const [member, message] of cloudComplaints(input, dialect, cloudName)) complain(member, message)

  const known = { keyEnv: keyEnvOf(input, entry, cloudName), keyOptional: entry === undefined || entry.keyOptional === true || cloudName !== undefined }
  const key = findCredential(input.apiKey, known, env)
  const elsewhere = findBaseURL(input, entry, env)
  const served = cloudName === undefined
    ? undefined
    : resolveCloud({ cloud: cloudName, input, env, key, clouds, now }, elsewhere.type === 'found' || elsewhere.type === 'wrong')
  if (served !== undefined) missing.push(...served.missing)
  const base = served === undefined || elsewhere.type === 'found' || elsewhere.type === 'wrong' ? elsewhere : usualPlace(served.baseURL)
  if (base.type === 'unknown') complain('baseURL', 'is missing; this provider needs an http:// or https:// URL')
  if (base.type === 'wrong' && base.variable === undefined) complain('baseURL', base.message)
  if (base.type === 'found' && dialect === 'gemini' && cloudName === undefined && isVertex(base.url)) {
    complain('baseURL', "is of Vertex AI, which has paths of its own; say cloud: 'vertex', and the project")
  }
  if (base.type === 'wrong' && base.variable !== undefined) {
    reportIssue(issues, path, `the environment variable ${base.variable} ${base.message}`)
  }
  if (base.type === 'missing') missing.push(`${base.variable} (or baseURL in options.providers)`)

  // Written but undefined: `process.env` did not have it, and asking without a key would only be told so by the provider.
  const isUnset = Object.hasOwn(input, 'apiKey') && input.apiKey === undefined
  if (key.type === 'unfit') {
    reportIssue(issues, path, `the environment variable ${key.variable} ${key.why}`)
  }
  if (isUnset) {
    const without = known.keyOptional ? 'for a provider that needs none' : `for ${known.keyEnv.join(' or ')}`
    missing.unshift(`its apiKey, which is undefined (or leave apiKey out ${without})`)
  } else if (key.type === 'missing') {
    const names = key.variables.join(' or ')
    missing.unshift(input.apiKey === undefined ? `${names} (or apiKey in options.providers)` : names)
  }

  const apiVersion = input.apiVersion ?? (entry?.apiVersionEnv && readVariable(env, entry.apiVersionEnv))
  if (apiVersion === undefined && entry?.apiVersionEnv !== undefined) {
    missing.push(`${entry.apiVersionEnv} (or apiVersion in options.providers)`)
  }

  const azure = apiVersion === undefined ? undefined : { apiVersion }
  const headers = input.headers ?? {}
  const header = dialect === undefined ? undefined : credentialName({ dialect, azure, bearer: input.bearer, cloud: cloudName })
  if (key.type === 'found' && key.from !== undefined && header !== undefined && Object.hasOwn(headers, header)) {
    reportIssue(issues, [...path, 'headers', header], `would not be sent: the key of ${key.from} goes out under that name; `
      + 'leave one of the two out')
  }

  if (issues.length > before) return WRONG
  if (missing.length > 0) {
    return { type: 'incomplete', why: `provider ${quote(name)} has no credentials: set ${missing.join(', ')}` }
  }
  if (dialect === undefined || base.type !== 'found' || key.type !== 'found') return WRONG
  return {
    type: 'ready',
    provider: {
      name,
      dialect,
      baseURL: base.url,
      credential: served?.credential ?? key.credential,
      headers: () => headers,
      breaker: input.breaker,
      sign: input.sign ?? served?.sign,
      azure,
      bearer: input.bearer,
      cloud: served?.cloud,
    },
  }
}

function isVertex(url: string): boolean {
  return new URL(url).hostname.endsWith('aiplatform.googleapis.com')
}

/** Credentials that are given sign every request, whatever key the environment has. */
function keyEnvOf(input: ProviderInput, entry: CatalogueEntry | undefined, cloud: CloudName | undefined): readonly string[] {
  if (input.credentials !== undefined) return []
  return entry?.keyEnv ?? (cloud === 'bedrock' ? ['AWS_BEARER_TOKEN_BEDROCK'] : [])
}

/** Where nothing is known of it, its own variable is what is missing. */
function usualPlace(url: string | undefined): FoundBaseURL {
  return url === undefined ? { type: 'nowhere' } : { type: 'found', url }
}

type FoundBaseURL =
  | { readonly type: 'found'; readonly url: string }
  | { readonly type: 'wrong'; readonly message: string; readonly variable?: string | undefined }
  | { readonly type: 'missing'; readonly variable: string }
  | { readonly type: 'unknown' }
  | { readonly type: 'nowhere' }

function findBaseURL(input: ProviderInput, entry: CatalogueEntry | undefined, env: Environment): FoundBaseURL {
  if (input.baseURL !== undefined) return judge(input.baseURL)
  const variable = entry?.baseURLEnv
  const set = variable && readVariable(env, variable.name)
  if (variable !== undefined && set !== undefined) return judge(variable.read(set), variable.name)
  if (entry?.baseURL !== undefined) return judge(entry.baseURL)
  return variable === undefined ? { type: 'unknown' } : { type: 'missing', variable: variable.name }
}

function judge(text: string, variable?: string): FoundBaseURL {
  const read = readBaseURL(text)
  return 'url' in read ? { type: 'found', url: read.url } : { type: 'wrong', message: read.wrong, variable }
}
