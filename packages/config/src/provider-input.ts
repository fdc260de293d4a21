import type { BreakerOptions, Dialect } from '@understudy/core'

/** Where a key comes from: the text itself (code only), an environment variable, or a function asked at each use. */
export type ApiKeyInput = string | { readonly env: string } | (() => string | Promise<string>)

/** Makes headers for one request of exactly these bytes. A throw or a rejection fails the leg as `auth_error`. */
export type Sign = (bytes: Uint8Array) => SignedHeaders | Promise<SignedHeaders>

/** Header name -> text, or nothing. */
export type SignedHeaders = Readonly<Record<string, string>> | null | undefined

/**
 * A named account or endpoint. For a name of the catalogue every member is optional and overrides what the catalogue
 * says; any other name needs `dialect` and `baseURL`.
 */
export interface ProviderInput {
  /** The wire format it speaks. `bedrock` and `responses` have a name only: they cannot be sent yet, and are refused at the mount. */
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
  /** Azure only: the `api-version`. Default the environment's `OPENAI_API_VERSION`. */
  readonly apiVersion?: string | undefined
}

/** Provider name -> what is known of it. */
export type ProvidersInput = Readonly<Record<string, ProviderInput>>
