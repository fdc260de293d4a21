import type { BreakerOptions, Dialect } from '@understudy/core'
import type { CloudName } from './cloud.js'

/** Where a key comes from: the text itself (code only), an environment variable, or a function asked at each use. */
export type ApiKeyInput = string | { readonly env: string } | (() => string | Promise<string>)

/** Makes headers for one request of exactly these bytes. A throw or a rejection fails the leg as `auth_error`. */
export type Sign = (bytes: Uint8Array) => SignedHeaders | Promise<SignedHeaders>

/** Header name -> text, or nothing. */
export type SignedHeaders = Readonly<Record<string, string>> | null | undefined

/** What requests to AWS are signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken?: string | undefined
  /** When they end. A function that gives them is asked again shortly before; without it, for each attempt. */
  readonly expiration?: Date | undefined
}

/** Where AWS's credentials come from: themselves (code only), or a function. A throw or a rejection fails the attempt as `auth_error`. */
export type AwsCredentialsInput = AwsCredentials | (() => AwsCredentials | Promise<AwsCredentials>)

/**
 * A named account or endpoint. For a name of the catalogue every member is optional and overrides what the catalogue
 * says; any other name needs `dialect` and `baseURL`.
 */
export interface ProviderInput {
  /** The wire format it speaks. */
  readonly dialect?: Dialect | undefined
  /** `http` or `https`, up to where the dialect's own paths begin: `https://api.openai.com/v1`. No credentials. */
  readonly baseURL?: string | undefined
  /** Default the catalogue's environment variable; a provider outside the catalogue is then asked without a key. */
  readonly apiKey?: ApiKeyInput | undefined
  /** Sent with each request of this provider, and to no other. Never printed. Default none. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Laid over the options' `breaker`; `false` = none for this provider. */
  readonly breaker?: false | BreakerOptions | undefined
  /** Headers made of the bytes that are about to be sent, anew for each attempt; they win over all others. Default none. */
  readonly sign?: Sign | undefined
  /** Sends the key as `authorization: Bearer`, whatever the dialect's own header: for Azure, an Entra ID token. Default false. */
  readonly bearer?: boolean | undefined
  /** The cloud that serves the dialect in its own way. Default the catalogue's; that of the dialect `bedrock` is `bedrock`. */
  readonly cloud?: CloudName | undefined
  /**
   * Bedrock only: where it is asked, and what requests are signed for; a leg's own wins. Default the environment's `AWS_REGION`, else
   * `AWS_DEFAULT_REGION`.
   */
  readonly region?: string | undefined
  /**
   * Bedrock only: what requests are signed with. Default `AWS_BEARER_TOKEN_BEDROCK` as a key, else `AWS_ACCESS_KEY_ID` and its
   * companions, else the standard chain, if `@aws-sdk/credential-provider-node` is installed. Never printed.
   */
  readonly credentials?: AwsCredentialsInput | undefined
  /**
   * Vertex only: the project that is asked and billed. Default the environment's `GOOGLE_CLOUD_PROJECT`, else
   * `ANTHROPIC_VERTEX_PROJECT_ID`, else `GCLOUD_PROJECT`.
   */
  readonly project?: string | undefined
  /**
   * Vertex only: where it is asked; a leg's `region` wins. Default the environment's `GOOGLE_CLOUD_LOCATION`, else `CLOUD_ML_REGION`,
   * else `global`.
   */
  readonly location?: string | undefined
  /** Azure only: the `api-version`. Default the environment's `OPENAI_API_VERSION`. */
  readonly apiVersion?: string | undefined
}

/** Provider name -> what is known of it. */
export type ProvidersInput = Readonly<Record<string, ProviderInput>>
