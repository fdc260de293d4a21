import { checkOptions } from './check-options.js'
import { isBedrockClient } from './bedrock-client.js'
import type { AnyEntry } from './client-call.js'
import { readCall } from './client-call.js'
import type { ClientChain } from './client-chain.js'
import { createClientChain } from './client-chain.js'
import type { ClientGround } from './ground.js'
import { systemGround } from './ground.js'
import type { RequestParams, WithFallbackOptions } from './options.js'
import { providerNameOf } from './provider-name.js'
import { requestOf } from './replay-events.js'
import type { GeminiClient, Members, SdkClient } from './sdk-client.js'
import { callOf, isObject, memberOf, withMembers } from './sdk-client.js'
import type { PostedDialect } from './sdk-dialect.js'
import { isSdkClient, postedDialectOf, sdkDialectOf } from './sdk-dialect.js'
import { wrapBedrock } from './wrap-bedrock.js'
import { wrapGemini } from './wrap-gemini.js'

/**
 * The same client, with fallbacks: where its chat call (`chat.completions.create` of OpenAI's SDK, `messages.create` of
 * Anthropic's, `models.generateContent` and `generateContentStream` of Google's, the commands of Converse of AWS's, and what
 * rides on them) fails in a way that another provider may not, the next entry is asked. Calls, types, streams, `withResponse`
 * and errors stay the SDK's own; everything else of the client is untouched, and so is the client itself.
 *
 * The vendors' own retries are off in these calls, but for those of AWS's SDK, which only its client's `maxAttempts: 1` turns
 * off. Throws a `TypeError` for a client or an option that is none.
 */
export function withFallback<Client extends SdkClient>(client: Client, options: WithFallbackOptions): Client {
  return fallbackClient(client, options, systemGround())
}

/** `withFallback` on a ground of one's own. */
export function fallbackClient<Client extends SdkClient>(client: Client, options: WithFallbackOptions, ground: ClientGround): Client {
  checkOptions(client, options)
  const primary = entryOf(client, options.model, {}, options.provider, true)
  const fallbacks = options.fallback.map(([other, model, params, provider]) => entryOf(other, model, params, provider, false))
  const chain = createClientChain([primary, ...fallbacks], options, ground)
  const dialect = postedDialectOf(client)
  if (dialect !== undefined) return wrap(client, dialect, chain, { options, ground })
  if (isBedrockClient(client)) return wrapBedrock(client, chain, options)
  if (isGemini(client)) return wrapGemini(client, chain, options)
  throw new TypeError('withFallback: the client is none of an SDK that is known here')
}

function isGemini<Client extends SdkClient>(client: Client): client is Client & GeminiClient {
  return 'models' in client
}

function entryOf(
  client: SdkClient,
  model: string | undefined,
  defaultParams: RequestParams = {},
  named: string | undefined,
  isPrimary: boolean,
): AnyEntry {
  if (isBedrockClient(client)) return { client, provider: named ?? 'bedrock', model, defaultParams, isPrimary }
  const dialect = sdkDialectOf(client)
  if (dialect === undefined) throw new TypeError('withFallback: the client is none of an SDK that is known here')
  const provider = named ?? providerNameOf(dialect.baseURL(client))
  return { client, dialect, provider, model, defaultParams, isPrimary }
}

/** Takes the place of the one method in which the SDKs make a request out of its options, and leaves all before and behind it. */
function wrap<Client extends SdkClient>(
  client: Client,
  dialect: PostedDialect,
  chain: ClientChain,
  { options, ground }: { readonly options: WithFallbackOptions; readonly ground: ClientGround },
): Client {
  const members: Record<string, unknown> = {
    async makeRequest(given: unknown, ...rest: unknown[]): Promise<unknown> {
      const requestOptions: unknown = await given
      if (!isChat(requestOptions, dialect)) return callOf(client, 'makeRequest', requestOptions, ...rest)
      const controller = new AbortController()
      const response = await chain.ask(readCall(requestOptions, dialect, options.defaultParams ?? {}), controller.signal)
      return requestOf(response, requestOptions, controller)
    },
    // A client that is made of this one has the same fallbacks, and a memory of its own.
    withOptions(given: unknown): unknown {
      const other = callOf(client, 'withOptions', given)
      return isSdkClient(other) ? fallbackClient(other, options, ground) : other
    },
  }
  const wrapped = withMembers(client, members)
  const [name = '', ...inner] = dialect.resource
  members[name] = withClient(memberOf(client, name), inner, wrapped)
  return wrapped
}

/** A resource of a client, or the one inside it, that sends its requests through another. */
function withClient(resource: unknown, path: readonly string[], client: SdkClient): unknown {
  if (!isObject(resource)) return resource
  const [name, ...inner] = path
  const members = name === undefined ? { _client: client } : { [name]: withClient(memberOf(resource, name), inner, client) }
  return withMembers(resource, members)
}

function isChat(requestOptions: unknown, dialect: PostedDialect): requestOptions is Members {
  return isObject(requestOptions) && requestOptions['method'] === 'post' && requestOptions['path'] === dialect.path
}
