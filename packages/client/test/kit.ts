import OpenAI from 'openai'
import type { Script, Simulator, Step } from '@understudy/simulator'
import { startSimulator } from '@understudy/simulator'
import type { WithFallbackOptions } from '@understudy/client'
import type { ClientGround } from '../src/ground.js'
import { systemGround } from '../src/ground.js'
import { fallbackClient } from '../src/with-fallback.js'

/** A question with something in it that must not be said elsewhere. */
export const MESSAGES: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Is canary-prompt-77 well?' }]
export const KEYS = ['canary-key-one', 'canary-key-two']

/** Two providers and a client of the first that falls back to the second. */
export interface Pair {
  readonly one: Simulator
  readonly two: Simulator
  /** Without fallbacks. */
  readonly first: OpenAI
  readonly second: OpenAI
  readonly client: OpenAI
  /** Another one, with a memory of its own; on the system's clocks, or on others. */
  readonly make: (options?: Partial<WithFallbackOptions>, ground?: Partial<ClientGround>) => OpenAI
}

/** The first provider plays these steps for `large`; the second is well. */
export async function startPair(
  t: { readonly teardown: (fn: () => unknown) => unknown },
  steps: readonly Step[] = [{}],
  options: Partial<WithFallbackOptions> = {},
  other: Script = {},
): Promise<Pair> {
  const one = await startSimulator({ script: { models: { large: steps } } })
  const two = await startSimulator({ script: { fallback: {}, ...other } })
  t.teardown(() => Promise.all([one.close(), two.close()]))
  const first = new OpenAI({ baseURL: one.url, apiKey: KEYS[0] })
  const second = new OpenAI({ baseURL: two.url, apiKey: KEYS[1] })
  const make = (own: Partial<WithFallbackOptions> = {}, ground: Partial<ClientGround> = {}): OpenAI => {
    const all = { fallback: [[second, 'small', {}, 'second']], provider: 'first', ...options, ...own } as const
    return fallbackClient(first, all, { ...systemGround(), ...ground })
  }
  return { one, two, first, second, client: make(), make }
}

/** The text of a stream, and what it ended with. */
export async function readStream(
  stream: AsyncIterable<OpenAI.ChatCompletionChunk>,
): Promise<{ readonly text: string; readonly error: unknown }> {
  let text = ''
  try {
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  } catch (error) {
    return { text, error }
  }
  return { text, error: undefined }
}

/** Everything that a stream gives. */
export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = []
  for await (const item of items) list.push(item)
  return list
}

/** What a promise rejects with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not reject')
}
