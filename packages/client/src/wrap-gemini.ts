import { readCall } from './client-call.js'
import type { ClientChain } from './client-chain.js'
import { apiOf, GEMINI } from './gemini-client.js'
import type { WithFallbackOptions } from './options.js'
import type { GeminiClient } from './sdk-client.js'
import { callOf, isObject, memberOf, withMembers } from './sdk-client.js'

/** A path that asks a model for content. */
const CONTENT = /\/((?:models|tunedModels|endpoints)\/[^/:]+):(generateContent|streamGenerateContent)$/

/** Takes the place of the one method in which the SDK makes a request, for its `models` and for the chats that ride on them. */
export function wrapGemini<Client extends GeminiClient>(client: Client, chain: ClientChain, options: WithFallbackOptions): Client {
  const own = apiOf(client)
  const api = withMembers(own, {
    async apiCall(url: unknown, init: unknown): Promise<unknown> {
      const asked = isObject(init) ? askedOf(url, init['body']) : undefined
      if (asked === undefined || !isObject(init)) return callOf(own, 'apiCall', url, init)
      const { signal } = init
      const call = readCall({ body: asked, signal, url, init }, GEMINI, options.defaultParams ?? {})
      return chain.ask(call, signal instanceof AbortSignal ? signal : new AbortController().signal)
    },
  })
  // Their methods are bound to the object that they were made in.
  const models = madeAnew(memberOf(client, 'models'), [api])
  const chats = madeAnew(memberOf(client, 'chats'), [models, api])
  return withMembers(client, { models, ...(chats === undefined ? undefined : { chats }) })
}

function madeAnew(resource: unknown, parts: readonly unknown[]): unknown {
  const made = memberOf(resource, 'constructor')
  return typeof made === 'function' ? (Reflect.construct(made, parts) as unknown) : undefined
}

/** What a request asks a model for; `undefined` where it asks for something else. */
function askedOf(url: unknown, body: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof url !== 'string' || typeof body !== 'string' || !URL.canParse(url)) return undefined
  const [, name = '', how] = CONTENT.exec(decodeURIComponent(new URL(url).pathname)) ?? []
  if (how === undefined) return undefined
  const said: unknown = JSON.parse(body)
  return isObject(said) ? { ...said, model: name.replace(/^models\//, ''), stream: how === 'streamGenerateContent' } : undefined
}
