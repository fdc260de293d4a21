import { constants, gunzipSync } from 'node:zlib'
import { createParser } from 'eventsource-parser'
import type { RawAnswer } from './raw-client.js'

/** One event, as a reader that is not ours dispatches it. */
export interface ReadEvent {
  readonly name: string | undefined
  readonly data: string
  /** When its last byte came. */
  readonly at: number
  /** Undefined if the data is not JSON. */
  readonly json: unknown
}

/** What a client makes of an answer. */
export interface ReadAnswer extends RawAnswer {
  header(name: string): string | undefined
  /** The body as text, decoded. */
  readonly bodyText: string
  readonly isStream: boolean
  /** The body as JSON; undefined if it is a stream or not JSON. */
  readonly json: unknown
  /** Empty unless it is a stream. */
  readonly events: readonly ReadEvent[]
  /** The text of the answer, streamed or whole. */
  readonly text: string
  readonly reasoning: string
  /** Arguments of the tool calls by id. */
  readonly toolArgs: Readonly<Record<string, string>>
  readonly finishReasons: readonly string[]
  readonly usageTotal: number | undefined
  /** When the first text came; undefined if none did. */
  readonly firstTextAt: number | undefined
  readonly errorEvents: readonly ReadEvent[]
  readonly doneCount: number
}

/** Reads an answer with `eventsource-parser` and `JSON.parse`, nothing of ours. */
export function readAnswer(raw: RawAnswer): ReadAnswer {
  const header = (name: string) => raw.headers.find(([key]) => key === name)?.[1]
  const isStream = header('content-type')?.startsWith('text/event-stream') ?? false
  const pieces = decoded(raw, header('content-encoding'))
  const bodyText = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString()
  const events = isStream ? eventsOf(pieces) : []
  const json = isStream ? undefined : parseJson(bodyText)
  const deltas = events.map(({ json: chunk, at }) => ({ at, delta: deltaOf(chunk) }))
  const message = field(firstChoice(json), 'message')
  const texts = isStream
    ? deltas.map(({ at, delta }) => ({ at, text: string(field(delta, 'content') ?? field(delta, 'text')) }))
    : [{ at: raw.endedAt, text: string(field(message, 'content')) }]

  return {
    ...raw,
    header,
    bodyText,
    isStream,
    json,
    events,
    text: texts.map(({ text }) => text).join(''),
    reasoning: deltas.map(({ delta }) => string(field(delta, 'reasoning_content'))).join(''),
    toolArgs: isStream ? streamedArguments(deltas.map(({ delta }) => delta)) : wholeArguments(message),
    finishReasons: (isStream ? events.map((event) => event.json) : [json])
      .map((answer) => string(field(firstChoice(answer), 'finish_reason') ?? field(deltaOf(answer), 'stop_reason')))
      .filter((reason) => reason !== ''),
    usageTotal: [...events.map((event) => event.json), json]
      .map((answer) => field(field(answer, 'usage'), 'total_tokens'))
      .findLast((total) => typeof total === 'number'),
    firstTextAt: texts.find(({ text }) => text !== '')?.at,
    errorEvents: events.filter((event) => isError(event.json)),
    doneCount: events.filter(({ data }) => data === '[DONE]').length,
  }
}

/** A member of an object that may be anything. */
export function field(value: unknown, key: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}

/** `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function decoded({ pieces }: RawAnswer, encoding: string | undefined): RawAnswer['pieces'] {
  if (encoding === undefined || encoding === 'identity') return pieces
  if (encoding !== 'gzip') throw new Error(`readAnswer: nobody asked for the encoding ${encoding}`)
  let done = 0
  return pieces.map(({ at }, index) => {
    const prefix = Buffer.concat(pieces.slice(0, index + 1).map(({ bytes }) => bytes))
    const text = gunzipSync(prefix, { finishFlush: constants.Z_SYNC_FLUSH })
    const bytes = text.subarray(done)
    done = text.length
    return { at, bytes }
  })
}

function eventsOf(pieces: RawAnswer['pieces']): readonly ReadEvent[] {
  const events: ReadEvent[] = []
  const text = new TextDecoder()
  let at = 0
  const parser = createParser({
    onEvent: ({ event: name, data }) => {
      events.push({ name, data, at, json: parseJson(data) })
    },
  })
  for (const piece of pieces) {
    at = piece.at
    parser.feed(text.decode(piece.bytes, { stream: true }))
  }
  return events
}

function firstChoice(answer: unknown): unknown {
  return field(field(answer, 'choices'), 0)
}

/** Of the first choice; in Anthropic's events it stands at the top, and in those of a response it is the text itself. */
function deltaOf(event: unknown): unknown {
  if (field(event, 'type') === 'response.output_text.delta') return { content: field(event, 'delta') }
  return field(firstChoice(event), 'delta') ?? field(event, 'delta')
}

function isError(chunk: unknown): boolean {
  return (field(chunk, 'error') ?? null) !== null
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function streamedArguments(deltas: readonly unknown[]): Record<string, string> {
  const calls = new Map<unknown, { id: string, text: string }>()
  for (const piece of deltas.flatMap((delta) => list(field(delta, 'tool_calls')))) {
    const index = field(piece, 'index') ?? 0
    const call = calls.get(index) ?? { id: '', text: '' }
    call.id ||= string(field(piece, 'id'))
    call.text += string(field(field(piece, 'function'), 'arguments'))
    calls.set(index, call)
  }
  return Object.fromEntries([...calls.values()].map(({ id, text }) => [id, text]))
}

function wholeArguments(message: unknown): Record<string, string> {
  const calls = list(field(message, 'tool_calls'))
  return Object.fromEntries(
    calls.map((call) => [string(field(call, 'id')), string(field(field(call, 'function'), 'arguments'))]),
  )
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
