import type { CloudCredentials } from '@understudy/config'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** https://developers.google.com/identity/protocols/oauth2/scopes#aiplatform */
const GOOGLE_SCOPE = 'https://www.googleapis.com/auth/cloud-platform'

/** The clouds' own ways to find credentials, whose libraries are optional and are loaded when they are first asked. */
export function createCloudCredentials(isInstalled: (name: string) => boolean = isResolved): CloudCredentials {
  return {
    aws: () => (isInstalled('@aws-sdk/credential-provider-node') ? awsChain() : undefined),
    google: (project) => (isInstalled('google-auth-library') ? googleTokens(project) : undefined),
  }
}

function isResolved(name: string): boolean {
  try {
    require.resolve(name)
    return true
  } catch {
    return false
  }
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html */
function awsChain(): NonNullable<ReturnType<CloudCredentials['aws']>> {
  let chain: (() => ReturnType<NonNullable<ReturnType<CloudCredentials['aws']>>>) | undefined
  return async () => {
    chain ??= (await import('@aws-sdk/credential-provider-node')).defaultProvider()
    return chain()
  }
}

/** Told the project, since it may ask Google for one otherwise. https://cloud.google.com/docs/authentication/application-default-credentials */
function googleTokens(projectId: string): NonNullable<ReturnType<CloudCredentials['google']>> {
  return async () => {
    const { GoogleAuth } = await import('google-auth-library')
    const client = await new GoogleAuth({ scopes: GOOGLE_SCOPE, projectId }).getClient()
    const { token } = await client.getAccessToken()
    if (typeof token !== 'string' || token === '') throw new Error('no access token')
    const expiresAt = client.credentials.expiry_date
    return { token, expiresAt: expiresAt ?? undefined, quotaProject: client.quotaProjectId }
  }
}
