import type { AwsCredentials } from './provider-input.js'

/** A cloud that serves other vendors' models in its own way: its paths, its credentials. */
export type CloudName = 'bedrock' | 'vertex'

/** Where a cloud serves a provider's models. */
export type ResolvedCloud = ResolvedBedrock | ResolvedVertex

/** Amazon Bedrock. */
export interface ResolvedBedrock {
  readonly type: 'bedrock'
  /** `undefined` only where `baseURL` says where it is and nothing is signed. */
  readonly region: string | undefined
  /** What requests are signed with, asked for each attempt; `undefined` = the provider's own key or `sign` says who asks. */
  readonly credentials: (() => AwsCredentials | Promise<AwsCredentials>) | undefined
  /** Whether the base URL was given, so that a leg's region does not change it. */
  readonly isElsewhere: boolean
}

/** Google's Vertex AI. */
export interface ResolvedVertex {
  readonly type: 'vertex'
  readonly project: string
  readonly location: string
  /** Whether the base URL was given, so that a leg's region does not change it. */
  readonly isElsewhere: boolean
}

/** What can be known of a cloud's own credentials. */
export interface CloudCredentials {
  /** The standard chain of AWS; `undefined` if its library is not installed. */
  readonly aws: () => (() => Promise<AwsCredentials>) | undefined
  /** Google's application default credentials, for a project; `undefined` if their library is not installed. */
  readonly google: (project: string) => (() => Promise<GoogleToken>) | undefined
}

/** An access token. */
export interface GoogleToken {
  readonly token: string
  /** Milliseconds since the epoch. Absent = it is asked for anew each time. */
  readonly expiresAt?: number | undefined
  /** The project whose quota a person's own credentials use, where they say one. */
  readonly quotaProject?: string | undefined
}

/** Where a cloud serves a region or location. */
export function cloudBaseURL(cloud: CloudName, place: string): string {
  return cloud === 'bedrock' ? bedrockBaseURL(place) : vertexBaseURL(place)
}

/** https://docs.aws.amazon.com/general/latest/gr/bedrock.html */
function bedrockBaseURL(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/learn/locations */
function vertexBaseURL(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`
  return `https://${location}-aiplatform.googleapis.com`
}
