import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { AzureOpenAI } from 'openai'
import type { APIPromise } from 'openai'
import type { Stream } from 'openai/streaming'
import t from 'tap'

import { withFallback } from '@understudy/client'
import type { FallbackEntry, WithFallbackOptions } from '@understudy/client'

// What is tested here is that it compiles, and that what is marked does not.

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false
const same = <One, Other>(value: Same<One, Other>): boolean => value

const openai = new OpenAI({ apiKey: 'key' })
const anthropic = new Anthropic({ apiKey: 'key' })
const azure = new AzureOpenAI({ endpoint: 'https://example.invalid', apiKey: 'key', apiVersion: '2024-10-21' })

t.test('a wrapped client has the type of the client', async (t) => {
  const client = withFallback(openai, { fallback: [[anthropic, 'claude-sonnet-4-5', { max_tokens: 1024 }, 'anthropic-eu']] })
  const other = withFallback(anthropic, { fallback: [[openai, 'small'], [azure, 'deployed', undefined]] })
  t.ok(same<typeof client, OpenAI>(true))
  t.ok(same<typeof other, Anthropic>(true))
  const third = withFallback(azure, { fallback: [] })
  t.ok(third instanceof AzureOpenAI && same<typeof third, AzureOpenAI>(true))
  t.type(calls, 'function')

  async function calls(stream: boolean): Promise<unknown[]> {
    const params = { model: 'large', messages: [] }
    const promise: APIPromise<OpenAI.ChatCompletion> = client.chat.completions.create(params)
    const streamed: Stream<OpenAI.ChatCompletionChunk> = await client.chat.completions.create({ ...params, stream: true })
    const { request_id: id }: { request_id: string | null } = await promise.withResponse()
    const message: Anthropic.Message = await other.messages.create({ ...params, max_tokens: 1 })
    const either: OpenAI.ChatCompletion | Stream<OpenAI.ChatCompletionChunk> = await client.chat.completions.create({ ...params, stream })
    // @ts-expect-error -- a stream has no choices
    return [streamed.choices, id, message, either]
  }
})

t.test('what is no client, entry or option does not compile', async (t) => {
  const params: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = { temperature: 0 }
  const entries: FallbackEntry[] = [[openai, 'small', params]]
  // @ts-expect-error -- an entry has a model
  entries.push([openai])
  // @ts-expect-error -- and no fifth member
  entries.push([openai, 'small', {}, 'name', 5])
  // @ts-expect-error -- a client comes first
  entries.push(['small', openai])
  // @ts-expect-error -- of an SDK that is known
  t.throws(() => withFallback({}, { fallback: [] }))
  // @ts-expect-error -- no such word
  const options: WithFallbackOptions = { fallback: entries, idempotency: 'sometimes' }
  t.throws(() => withFallback(openai, options), TypeError)
  // @ts-expect-error -- no such option
  t.throws(() => withFallback(openai, { fallback: [], timeoutMs: 5 }), TypeError)
})
