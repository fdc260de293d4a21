import type { FinishPart, Part, Usage } from '@understudy/core'
import { grownName } from '../call-pieces.js'
import type { ResponseEncoderOptions } from '../dialect-codec.js'
import type { ToolCallWire, UsageWire } from './wire.js'
import { FINISH_WORDS } from './wire.js'

interface Choice {
  text: string
  reasoning: string
  refusal: string
  readonly toolCalls: Map<number, { id: string | undefined; name: string; arguments: string }>
  /** Default: that it stopped, for its calls if there are any. */
  finish: string | undefined
}

/** A whole answer as a `chat.completion` object. */
export function encodeResponse(parts: readonly Part[], options: ResponseEncoderOptions): Record<string, unknown> {
  const choices = new Map<number, Choice>()
  let { id, created } = options
  let model = options.model
  let fingerprint: string | undefined
  let usage: Usage | undefined

  for (const part of parts) {
    switch (part.type) {
      case 'start':
        id = part.id ?? id
        model = options.model ?? part.model
        created = part.created ?? created
        fingerprint = part.systemFingerprint
        break
      case 'usage':
        usage = { ...usage, ...part.usage }
        break
      case 'media':
      case 'end':
      case 'error':
        break
      default:
        addToChoice(choiceOf(choices, part.choice ?? 0), part)
    }
  }
  if (choices.size === 0) choices.set(0, newChoice())
  return {
    id,
    object: 'chat.completion',
    created,
    model: model ?? '',
    ...(fingerprint === undefined ? undefined : { system_fingerprint: fingerprint }),
    choices: [...choices].sort(([one], [other]) => one - other).map(([index, choice]) => choiceWire(index, choice, id)),
    ...(usage === undefined ? undefined : { usage: usageWire(usage) }),
  }
}

function newChoice(): Choice {
  return { text: '', reasoning: '', refusal: '', toolCalls: new Map(), finish: undefined }
}

function choiceOf(choices: Map<number, Choice>, index: number): Choice {
  const choice = choices.get(index) ?? newChoice()
  choices.set(index, choice)
  return choice
}

function addToChoice(choice: Choice, part: Extract<Part, { readonly choice?: number | undefined }>): void {
  switch (part.type) {
    case 'text':
      choice.text += part.text
      return
    case 'reasoning':
      choice.reasoning += part.text
      return
    case 'refusal':
      choice.refusal += part.text
      return
    case 'tool-call': {
      const call = choice.toolCalls.get(part.index) ?? { id: undefined, name: '', arguments: '' }
      call.id ??= part.id
      call.name = grownName(call.name, part.name, call.arguments !== '')
      call.arguments += part.arguments
      choice.toolCalls.set(part.index, call)
      return
    }
    case 'finish':
      choice.finish = finishWord(part)
      return
    case 'media':
      return
  }
}

function choiceWire(index: number, choice: Choice, answerId: string): Record<string, unknown> {
  const calls = [...choice.toolCalls].sort(([one], [other]) => one - other)
  const toolCalls = calls.map(([position, call]): ToolCallWire => ({
    id: call.id ?? `call_${answerId}_${position}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }))
  const hasText = choice.text !== '' || (toolCalls.length === 0 && choice.refusal === '')
  return {
    index,
    message: {
      role: 'assistant',
      content: hasText ? choice.text : null,
      refusal: choice.refusal === '' ? null : choice.refusal,
      ...(choice.reasoning === '' ? undefined : { reasoning_content: choice.reasoning }),
      ...(toolCalls.length === 0 ? undefined : { tool_calls: toolCalls }),
    },
    logprobs: null,
    finish_reason: choice.finish ?? (toolCalls.length === 0 ? 'stop' : 'tool_calls'),
  }
}

/** The word for a reason to stop; what the neutral form does not know goes as the provider said it. */
export function finishWord({ reason, raw }: FinishPart): string {
  return FINISH_WORDS[reason] ?? raw ?? 'stop'
}

/** Clients rely on all three sums, so what was not counted is 0 and the total is their sum. */
export function usageWire(usage: Usage): UsageWire {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, cacheWriteTokens, reasoningTokens } = usage
  const hasDetails = cachedInputTokens !== undefined || cacheWriteTokens !== undefined
  const written = cacheWriteTokens === undefined ? undefined : { cache_write_tokens: cacheWriteTokens }
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...(hasDetails ? { prompt_tokens_details: { cached_tokens: cachedInputTokens ?? 0, ...written } } : undefined),
    ...(reasoningTokens === undefined
      ? undefined
      : { completion_tokens_details: { reasoning_tokens: reasoningTokens } }),
  }
}
