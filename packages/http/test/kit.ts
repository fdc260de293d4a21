import type { FallbackOptions, RoutesInput } from '@understudy/config'
import type { CustomLeg, FallbackEvent, Part } from '@understudy/core'
import { startSimulator } from '@understudy/simulator'
import type { Script, Simulator } from '@understudy/simulator'
import type { Test } from 'tap'

import type { FallbackGround, MountableFallback } from '../src/create-fallback.js'
import { createMountableFallback } from '../src/create-fallback.js'
import type { InboundBody, InboundHeaders, InboundRequest } from '../src/inbound/request.js'
import type { OutboundResponse } from '../src/inbound/response.js'

/** A wall clock for tests that compare whole answers. */
export const EPOCH = Date.UTC(2030, 0, 1)

/** A simulator that ends with the test. */
export async function simulate(t: Test, script?: Script): Promise<Simulator> {
  const simulator = await startSimulator({ script })
  t.teardown(() => simulator.close())
  return simulator
}

/** Providers `a`, `b`, `c` on a simulator. */
export function providersOn({ url }: Pick<Simulator, 'url'>, names: readonly string[] = ['a', 'b', 'c']) {
  return Object.fromEntries(
    names.map((name) => [name, { dialect: 'openai' as const, baseURL: url, apiKey: `key-of-${name}` }]),
  )
}

/** A `Fallback` that is closed with the test. */
export function fallbackOf(
  t: Test,
  routes: RoutesInput,
  options: FallbackOptions = {},
  ground: Partial<FallbackGround> = {},
): MountableFallback {
  const fallback = createMountableFallback(routes, options, ground)
  t.teardown(() => fallback.close())
  return fallback
}

export const MESSAGES = [{ role: 'user', content: 'Hello' }]

export interface TestRequest extends InboundRequest {
  readonly leave: () => void
}

export interface RequestOverrides {
  readonly method?: string
  readonly path?: string
  readonly query?: string
  readonly atRoot?: boolean
  readonly headers?: InboundHeaders
  readonly readBody?: InboundRequest['readBody']
}

/** A POST of `body`: bytes and strings as they are, anything else as JSON. */
export function post(body: unknown = {}, overrides: RequestOverrides = {}): TestRequest {
  const controller = new AbortController()
  const bytes =
    body instanceof Uint8Array ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return {
    method: 'POST',
    path: '/chat/completions',
    query: '',
    headers: {},
    atRoot: false,
    readBody: () => Promise.resolve<InboundBody>({ type: 'bytes', bytes }),
    signal: controller.signal,
    leave: () => controller.abort(),
    ...overrides,
  }
}

/** A chat request. */
export function chat(fields: Readonly<Record<string, unknown>> = {}, overrides: RequestOverrides = {}): TestRequest {
  return post({ model: 'chat', messages: MESSAGES, ...fields }, { ...overrides })
}

/** The same, streamed. */
export function stream(fields: Readonly<Record<string, unknown>> = {}, overrides: RequestOverrides = {}): TestRequest {
  return chat({ stream: true, ...fields }, overrides)
}

/** The body as text, read to its end. */
export async function textOf({ body }: OutboundResponse): Promise<string> {
  if (body === undefined) return ''
  if (body instanceof Uint8Array) return Buffer.from(body).toString()
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** What tests look into of a JSON body or an event. */
export interface Wire {
  readonly [member: string]: unknown
  readonly choices?: readonly { readonly message?: { readonly content: string }; readonly delta?: { readonly content?: string } }[]
  readonly error?: { readonly [member: string]: unknown; readonly code: string; readonly message: string }
}

export async function jsonOf(response: OutboundResponse): Promise<Wire> {
  return JSON.parse(await textOf(response)) as Wire
}

/** The `data` of each event, parsed where it is JSON. */
export function eventsOf(text: string): readonly (Wire | '[DONE]')[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => event.replace(/^(?::.*\n)*data: /, ''))
    .map((data) => (data === '[DONE]' ? data : (JSON.parse(data) as Wire)))
}

/** What a client would show of a stream. */
export function contentOf(text: string): string {
  return eventsOf(text)
    .map((event) => (event === '[DONE]' ? '' : (event.choices?.[0]?.delta?.content ?? '')))
    .join('')
}

export function iteratorOf({ body }: OutboundResponse): AsyncIterator<Uint8Array> {
  if (body === undefined || body instanceof Uint8Array) throw new Error('the response is no stream')
  return body[Symbol.asyncIterator]()
}

/** A custom leg that yields these. */
export function says(name: string, ...parts: readonly (string | Part)[]): CustomLeg {
  return {
    name,
    async *open() {
      yield* parts
    },
  }
}

/** A custom leg that fails so. */
export function fails(name: string, error: unknown): CustomLeg {
  return { name, open: () => Promise.reject(error) }
}

/** A custom leg that gives what it has and then waits for ever, deaf to its signal. */
export function hangs(name: string, ...parts: readonly string[]): CustomLeg {
  return {
    name,
    async *open() {
      yield* parts
      await new Promise(() => undefined)
    },
  }
}

/** Every event of a fallback, as they come. */
export function listen(fallback: MountableFallback): FallbackEvent[] {
  const events: FallbackEvent[] = []
  fallback.on((event) => events.push(event))
  return events
}

/** Until what was emitted so far has been heard. */
export function heard(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

/** One item of a trail, parsed by the rules of RFC 9651 for a list of strings with parameters. */
export interface TrailItem {
  readonly name: string
  readonly [parameter: string]: string | number
}

/** Reads a trail back, strictly; throws where it is no such list. */
export function parseTrail(header: string | undefined): readonly TrailItem[] {
  if (header === undefined) throw new Error('there is no trail')
  const items: TrailItem[] = []
  let rest = header
  const take = (pattern: RegExp): string => {
    const match = pattern.exec(rest)
    if (match?.index !== 0) throw new Error(`not ${pattern} at: ${rest}`)
    rest = rest.slice(match[0].length)
    return match[0]
  }
  for (;;) {
    const quoted = take(/^"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"/)
    const item: Record<string, string | number> = { name: quoted.slice(1, -1).replace(/\\(["\\])/g, '$1') }
    while (rest.startsWith(';')) {
      take(/^;[ ]*/)
      const key = take(/^[a-z*][a-z0-9_.*-]*/)
      take(/^=/)
      const value = take(/^(?:-?\d{1,15}|[A-Za-z*][!#$%&'*+.^`|~:/\w-]*)/)
      item[key] = /^-?\d/.test(value) ? Number(value) : value
    }
    items.push(item as unknown as TrailItem)
    if (rest === '') return items
    take(/^[ \t]*,[ \t]*/)
  }
}

/** Puts 0 where a time stands that differs from run to run, so that whole answers can be compared. */
export function timeless<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (key: string, member: unknown) =>
    key === 'latency_ms' || key === 'latencyMs' || key === 'ms' ? 0 : member,
  )
}

/** The names of a trail without its times: `a/m failed overloaded`. */
export function outline(header: string | undefined): readonly string[] {
  return parseTrail(header).map(({ name, outcome, reason, phase }) =>
    [name, outcome, reason, phase].filter((word) => word !== undefined).join(' '),
  )
}
