/** Whatever a call of an SDK takes and gives: only the SDK knows. */
type SdkMethod = (...args: never[]) => unknown

/** A client of the `openai` package, or of one that is made like it. */
export interface OpenAIClient {
  readonly baseURL: string
  readonly post: SdkMethod
  readonly chat: { readonly completions: { readonly create: SdkMethod } }
}

/** A client of the `@anthropic-ai/sdk` package. */
export interface AnthropicClient {
  readonly baseURL: string
  readonly post: SdkMethod
  readonly messages: { readonly create: SdkMethod }
}

/** A client of the `@google/genai` package. */
export interface GeminiClient {
  readonly models: { readonly generateContent: SdkMethod; readonly generateContentStream: SdkMethod }
}

/** A client of the `@aws-sdk/client-bedrock-runtime` package. */
export interface BedrockClient {
  readonly config: object
  readonly middlewareStack: object
  readonly send: SdkMethod
}

/** A client that can be given fallbacks, or be one. */
export type SdkClient = OpenAIClient | AnthropicClient | GeminiClient | BedrockClient

/** A promise of the SDKs, as far as it is used here. */
interface SdkPromise {
  readonly asResponse: () => Promise<Response>
}

/** Members that take the place of an object's own. */
export type Members = Readonly<Record<string, unknown>>

/** A member of a value of which nothing is known; `undefined` where it has none or does not give it. Never throws. */
export function memberOf(value: unknown, key: string | symbol): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return Reflect.get(value, key) as unknown
  } catch {
    // A throwing getter hides its member and nothing else.
    return undefined
  }
}

/** Whether a value has members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Calls a method of an object of which nothing is known. Throws a `TypeError` if it is none. */
export function callOf(target: object, key: string, ...args: unknown[]): unknown {
  const method = memberOf(target, key)
  if (typeof method !== 'function') throw new TypeError(`the client has no method \`${key}\``)
  return Reflect.apply(method, target, args)
}

/** Sends a request through a client, with its base URL, credentials and hooks; gives the answer unread, or throws as the SDK does. */
export async function postWith(client: SdkClient, path: string, options: Members): Promise<Response> {
  const promise = callOf(client, 'post', path, options)
  if (!isSdkPromise(promise)) throw new TypeError('the client is no SDK client: its `post` gives no `asResponse`')
  return promise.asResponse()
}

function isSdkPromise(value: unknown): value is SdkPromise {
  return typeof memberOf(value, 'asResponse') === 'function'
}

/**
 * The same object with other members. Everything else is its own: its class, its accessors, and what is written to it.
 *
 * Not by inheritance: the SDKs keep members that only their own objects can read.
 */
export function withMembers<Target extends object>(target: Target, members: Members): Target {
  return new Proxy(target, {
    get(object, key) {
      if (typeof key === 'string' && Object.hasOwn(members, key)) return members[key]
      return Reflect.get(object, key, object) as unknown
    },
  })
}
