import type { FinishPart, Part, Usage } from '@understudy/core'
import type { ResponseEncoderOptions } from '../dialect-codec.js'
import { createOutputItems, type Emit } from './output-items.js'
import { INCOMPLETE_WORDS, madeUpId, plainName, type ItemWire, type UsageWire } from './wire.js'

type Wire = Record<string, unknown>

/** Makes one response of parts, and tells of each of its events. */
export interface ResponseWriter {
  /** Tells of the response itself, once, as far as it is known. */
  open(): void
  take(part: Part): void
  /** To be called once, when the answer is whole: ends what is open, and gives the response. */
  finish(): Wire
}

/**
 * A whole answer as a `response` object: as the leg's own stream said it at its end, else made of its parts. Only the first of several
 * choices can be said.
 */
export function encodeResponse(parts: readonly Part[], options: ResponseEncoderOptions): Wire {
  const last = parts.at(-1)
  if (last?.type === 'end' && last.document !== undefined && options.isForeign !== true) return last.document
  const writer = createResponseWriter(options, () => undefined)
  for (const part of parts) writer.take(part)
  return writer.finish()
}

/**
 * Why the model stopped and what was counted are said together and last, since other dialects count behind the reason.
 *
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function createResponseWriter(options: ResponseEncoderOptions, emit: Emit): ResponseWriter {
  const { isForeign = false, asked = {} } = options
  let { model, created } = options
  let id = idOf(options.id)
  let isOpen = false
  let usage: Usage | undefined
  let finish: FinishPart | undefined
  const items = createOutputItems(() => id, emit)

  const writer: ResponseWriter = {
    open() {
      if (isOpen) return
      isOpen = true
      const response = responseWire('in_progress', [])
      emit('response.created', { response })
      emit('response.in_progress', { response })
    },
    take(part) {
      if ('choice' in part && (part.choice ?? 0) > 0) return
      switch (part.type) {
        case 'start':
          if (isOpen) return
          id = part.id === undefined ? id : idOf(part.id)
          model = options.model ?? part.model
          created = part.created ?? created
          return
        case 'usage':
          usage = { ...usage, ...part.usage }
          return
        case 'finish':
          writer.open()
          finish = part
          items.close(incompleteWord() === undefined ? 'completed' : 'incomplete')
          return
        case 'text':
          writer.open()
          items.text('output_text', part.text)
          return
        case 'refusal':
          writer.open()
          items.text('refusal', part.text)
          return
        case 'reasoning':
          writer.open()
          items.thought(isForeign ? { type: 'reasoning', text: part.text } : part)
          return
        case 'tool-call':
          writer.open()
          items.call(part)
          return
        case 'media':
        case 'end':
        case 'error':
          return
      }
    },
    finish() {
      writer.open()
      const status = incompleteWord() === undefined ? 'completed' : 'incomplete'
      items.close(status)
      const response = responseWire(status, items.wires())
      emit(`response.${status}`, { response })
      return response
    },
  }
  return writer

  /** Of an answer that the service did not give, a client cannot go on from there. */
  function idOf(given: string): string {
    return isForeign ? madeUpId('resp', plainName(given)) : given
  }

  function incompleteWord(): string | undefined {
    return finish === undefined ? undefined : INCOMPLETE_WORDS[finish.reason]
  }

  function responseWire(status: 'in_progress' | 'completed' | 'incomplete', output: readonly ItemWire[]): Wire {
    return {
      id,
      object: 'response',
      created_at: created,
      ...UNASKED,
      ...asked,
      status,
      error: null,
      incomplete_details: status === 'incomplete' ? { reason: incompleteWord() } : null,
      model: model ?? '',
      output,
      usage: usage === undefined || status === 'in_progress' ? null : usageWire(usage),
    }
  }
}

/** Fields in which a response says again what was asked, as it does where nothing was. */
const UNASKED: Wire = {
  background: false,
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

/** What a response says again of what was asked. Nothing of it is kept, and nothing goes on in the background. */
export function echoOf(body: Readonly<Record<string, unknown>>): Wire {
  const kept = Object.keys(UNASKED).filter((key) => key !== 'store' && key !== 'background' && key !== 'previous_response_id')
  return Object.fromEntries(kept.flatMap((key) => (body[key] === undefined || body[key] === null ? [] : [[key, body[key]] as const])))
}

/** Clients rely on all sums, so what was not counted is 0 and the total is their sum. */
function usageWire({ inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, reasoningTokens = 0, totalTokens }: Usage): UsageWire {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: totalTokens ?? inputTokens + outputTokens,
  }
}
