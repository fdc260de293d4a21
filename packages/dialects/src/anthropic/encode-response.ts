import type { FinishPart, Part, ReasoningPart, Usage } from '@understudy/core'
import { argumentsObject, grownName } from '../call-pieces.js'
import type { ResponseEncoderOptions } from '../dialect-codec.js'
import { finishReasonOf, STOP_REASONS, type BlockWire, type UsageWire } from './wire.js'

/** A call until it is whole. */
interface CallDraft {
  readonly type: 'call'
  readonly index: number
  id: string | undefined
  name: string
  text: string
}

type Draft =
  | { readonly type: 'text'; text: string }
  | { readonly type: 'thinking'; text: string; signature: string }
  | { readonly type: 'redacted'; readonly data: string }
  | CallDraft

/** A whole answer as a `message` object. Only the first of several choices can be said. */
export function encodeResponse(parts: readonly Part[], options: ResponseEncoderOptions): Record<string, unknown> {
  const drafts: Draft[] = []
  const calls = new Map<number, CallDraft>()
  let { id, model } = options
  let usage: Usage | undefined
  let finish: FinishPart | undefined
  let isRefusal = false

  for (const part of parts) {
    if ('choice' in part && (part.choice ?? 0) > 0) continue
    switch (part.type) {
      case 'start':
        id = part.id ?? id
        model = options.model ?? part.model
        break
      case 'usage':
        usage = { ...usage, ...part.usage }
        break
      case 'finish':
        finish = part
        break
      case 'refusal':
        isRefusal = true
        break
    }
    addToDrafts(drafts, calls, options.isForeign === true ? withoutProof(part) : part)
  }
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: model ?? '',
    content: drafts.map((draft) => blockWire(draft, id)),
    stop_reason: stopReason(finish, { isRefusal, hasCalls: calls.size > 0 }),
    stop_sequence: finish?.stopSequence ?? null,
    usage: usageWire(usage ?? {}),
  }
}

/** Without what proves a thought to its own provider only. */
export function withoutProof<Of extends Part>(part: Of): Of | ReasoningPart {
  return part.type === 'reasoning' ? { type: 'reasoning', text: part.text } : part
}

function addToDrafts(drafts: Draft[], calls: Map<number, CallDraft>, part: Part): void {
  const last = drafts.at(-1)
  switch (part.type) {
    case 'text':
    case 'refusal':
      if (last?.type === 'text') last.text += part.text
      else if (part.text !== '') drafts.push({ type: 'text', text: part.text })
      return
    case 'reasoning': {
      const { text, signature = '', redacted } = part
      if (redacted !== undefined) drafts.push({ type: 'redacted', data: redacted })
      // A signature closes its thought.
      else if (last?.type === 'thinking' && last.signature === '') {
        last.text += text
        last.signature = signature
      } else if (text !== '' || signature !== '') drafts.push({ type: 'thinking', text, signature })
      return
    }
    case 'tool-call': {
      const known = calls.get(part.index)
      if (known === undefined) {
        const draft: CallDraft = { type: 'call', index: part.index, id: part.id, name: part.name ?? '', text: part.arguments }
        calls.set(part.index, draft)
        drafts.push(draft)
        return
      }
      known.id ??= part.id
      known.name = grownName(known.name, part.name, known.text !== '')
      known.text += part.arguments
      return
    }
  }
}

function blockWire(draft: Draft, answerId: string): BlockWire {
  switch (draft.type) {
    case 'text':
      return { type: 'text', text: draft.text }
    case 'thinking':
      return { type: 'thinking', thinking: draft.text, signature: draft.signature }
    case 'redacted':
      return { type: 'redacted_thinking', data: draft.data }
    case 'call':
      return {
        type: 'tool_use',
        id: draft.id ?? madeUpId(answerId, draft.index),
        name: draft.name,
        input: argumentsObject(draft.text),
      }
  }
}

/** The id of a call whose provider gave it none. */
export function madeUpId(answerId: string, index: number): string {
  return `toolu_${answerId.replace(/[^A-Za-z0-9_-]/g, '_')}_${index}`
}

/**
 * The word for a reason to stop: the provider's own where it is one of this API's. Some servers end an answer with calls as any
 * other, and clients of this API look for calls only where the reason names them.
 */
export function stopReason(
  finish: FinishPart | undefined,
  { isRefusal, hasCalls }: { readonly isRefusal: boolean; readonly hasCalls: boolean },
): string {
  const { reason = 'stop', raw = '' } = finish ?? {}
  if (reason !== 'unknown' && finishReasonOf(raw) === reason) return raw
  if (reason !== 'stop') return STOP_REASONS[reason]
  return hasCalls ? STOP_REASONS.tool_calls : isRefusal ? STOP_REASONS.content_filter : STOP_REASONS.stop
}

/** Clients rely on both sums, so what was not counted is 0. */
export function usageWire(usage: Usage): UsageWire {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage
  return {
    input_tokens: Math.max(0, inputTokens - (cachedInputTokens ?? 0) - (cacheWriteTokens ?? 0)),
    ...(cacheWriteTokens === undefined ? undefined : { cache_creation_input_tokens: cacheWriteTokens }),
    ...(cachedInputTokens === undefined ? undefined : { cache_read_input_tokens: cachedInputTokens }),
    output_tokens: outputTokens,
    ...(reasoningTokens === undefined ? undefined : { output_tokens_details: { thinking_tokens: reasoningTokens } }),
  }
}
