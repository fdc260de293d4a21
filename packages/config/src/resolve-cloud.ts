import { cloudBaseURL, type CloudCredentials, type CloudName, type GoogleToken, type ResolvedCloud } from './cloud.js'
import { readVariable, type Environment, type FoundCredential } from './credentials.js'
import { keepFresh } from './keep-fresh.js'
import type { AwsCredentials, ProviderInput, Sign } from './provider-input.js'
import type { ResolvedProvider } from './resolved-config.js'

/** What a provider of a cloud is resolved from. */
export interface CloudSource {
  readonly cloud: CloudName
  readonly input: ProviderInput
  readonly env: Environment
  /** What was found of a key, which then says who asks. */
  readonly key: FoundCredential
  readonly clouds: CloudCredentials | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A cloud as a provider is asked there, and what is missing for that. */
export interface CloudOutcome {
  readonly cloud: ResolvedCloud
  /** Its usual place; `undefined` where that is not known. */
  readonly baseURL: string | undefined
  /** In place of the provider's own; `undefined` = that holds. */
  readonly credential: ResolvedProvider['credential'] | undefined
  /** Headers that stand beside that credential. */
  readonly sign: Sign | undefined
  readonly missing: readonly string[]
}

/** Reads where a cloud is asked and with which credentials. */
export function resolveCloud(source: CloudSource, isElsewhere: boolean): CloudOutcome {
  return source.cloud === 'bedrock' ? resolveBedrock(source, isElsewhere) : resolveVertex(source, isElsewhere)
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/environment-variables.html */
function resolveBedrock({ input, env, key, clouds, now }: CloudSource, isElsewhere: boolean): CloudOutcome {
  const region = input.region ?? readVariable(env, 'AWS_REGION') ?? readVariable(env, 'AWS_DEFAULT_REGION')
  const hasKey = key.type === 'found' && key.from !== undefined
  const signs = !hasKey && input.sign === undefined
  const credentials = signs ? awsCredentials(input, env, clouds, now) : undefined
  const missing: string[] = []
  if (signs && credentials === undefined) missing.push(NO_AWS_CREDENTIALS)
  if (region === undefined && (signs || !isElsewhere)) missing.push('AWS_REGION (or region in options.providers)')
  return {
    cloud: { type: 'bedrock', region, credentials, isElsewhere },
    baseURL: region === undefined ? undefined : cloudBaseURL('bedrock', region),
    credential: undefined,
    sign: undefined,
    missing,
  }
}

const NO_AWS_CREDENTIALS = 'AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or apiKey or credentials in '
  + 'options.providers, or install @aws-sdk/credential-provider-node for the standard chain)'

function awsCredentials(
  { credentials: given }: ProviderInput,
  env: Environment,
  clouds: CloudCredentials | undefined,
  now: () => number,
): (() => AwsCredentials | Promise<AwsCredentials>) | undefined {
  const expiresAt = ({ expiration }: AwsCredentials): number | undefined => expiration?.getTime()
  if (typeof given === 'function') return keepFresh(given, { expiresAt, now })
  if (given !== undefined) return () => given
  const accessKeyId = readVariable(env, 'AWS_ACCESS_KEY_ID')
  const secretAccessKey = readVariable(env, 'AWS_SECRET_ACCESS_KEY')
  const sessionToken = readVariable(env, 'AWS_SESSION_TOKEN')
  if (accessKeyId !== undefined && secretAccessKey !== undefined) return () => ({ accessKeyId, secretAccessKey, sessionToken })
  const chain = clouds?.aws()
  return chain === undefined ? undefined : keepFresh(chain, { expiresAt, now })
}

/** The variables are those of Google's and Anthropic's own SDKs. */
function resolveVertex({ input, env, key, clouds, now }: CloudSource, isElsewhere: boolean): CloudOutcome {
  const read = (names: readonly string[]): string | undefined =>
    names.map((name) => readVariable(env, name)).find((value) => value !== undefined)
  const project = input.project ?? read(['GOOGLE_CLOUD_PROJECT', 'ANTHROPIC_VERTEX_PROJECT_ID', 'GCLOUD_PROJECT'])
  const location = input.location ?? read(['GOOGLE_CLOUD_LOCATION', 'CLOUD_ML_REGION']) ?? 'global'
  const missing: string[] = []
  if (project === undefined) missing.push('GOOGLE_CLOUD_PROJECT (or project in options.providers)')
  const needsToken = !(key.type === 'found' && key.from !== undefined) && input.sign === undefined
  const google = needsToken ? clouds?.google(project ?? '') : undefined
  if (needsToken && google === undefined) missing.push(NO_GOOGLE_CREDENTIALS)
  const token = google === undefined ? undefined : keepFresh(google, { expiresAt: ({ expiresAt }) => expiresAt, now })
  return {
    cloud: { type: 'vertex', project: project ?? '', location, isElsewhere },
    baseURL: cloudBaseURL('vertex', location),
    credential: token === undefined ? undefined : async () => (await token()).token,
    sign: token === undefined ? undefined : async () => quotaHeader(await token()),
    missing,
  }
}

/** https://cloud.google.com/docs/quotas/set-quota-project */
function quotaHeader({ quotaProject }: GoogleToken): Record<string, string> {
  return quotaProject === undefined ? {} : { 'x-goog-user-project': quotaProject }
}

const NO_GOOGLE_CREDENTIALS = 'a token as apiKey in options.providers, such as async () => token (or install google-auth-library for the '
  + 'application default credentials)'
