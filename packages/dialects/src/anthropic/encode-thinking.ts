import type { ChatRequest } from '@understudy/core'
import type { Refuse } from '../untranslatable.js'
import type { ModelTraits } from './models.js'

/** How a request asks the model to think. */
export interface Thinking {
  readonly thinking?: Readonly<Record<string, unknown>> | undefined
  /** `output_config.effort`. */
  readonly effort?: string | undefined
}

/** The least that the API takes. */
const MIN_BUDGET = 1_024

/** Tokens of thinking for an effort, where a model wants a number. They are ours: the API has no such table. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1_024],
  ['low', 2_048],
  ['medium', 8_192],
  ['high', 16_384],
  ['xhigh', 24_576],
  ['max', 32_000],
])
const DEFAULT_BUDGET = 8_192

/** The words of https://platform.claude.com/docs/en/build-with-claude/effort, with the one below them that only OpenAI has. */
const EFFORTS: ReadonlyMap<string, string> = new Map([
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'xhigh'],
  ['max', 'max'],
])

/**
 * The request's wish to reason, as the model takes it. A model that does not think answers without, and so does any model where
 * the API would refuse the request: a tool is forced, or beside a budget a call that is being answered came from a model whose thoughts
 * are not known here, or `max_tokens` leaves no room.
 *
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking,
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking#validation-changes
 */
export function encodeThinking(request: ChatRequest, traits: ModelTraits, refuse: Refuse): Thinking {
  const { reasoning, reasoningEffort = '', reasoningBudget } = request
  const effort = EFFORTS.get(reasoningEffort)
  if (reasoning !== true) {
    const off = reasoning === false && traits.thinking !== 'none' ? { thinking: { type: 'disabled' } } : {}
    return reasoning === undefined && effort !== undefined ? { effort } : off
  }
  if (traits.thinking === 'none' || isToolForced(request)) return {}
  if (traits.thinking === 'adaptive') return { thinking: { type: 'adaptive' }, effort }
  if (answersForeignCall(request)) return {}

  const maxTokens = Math.min(request.maxTokens ?? traits.maxTokens, traits.isLimit ? traits.maxTokens : Infinity)
  const room = Math.floor(maxTokens / 2)
  const budget = reasoningBudget ?? Math.min(BUDGETS.get(reasoningEffort) ?? DEFAULT_BUDGET, room)
  if (budget < MIN_BUDGET || budget >= maxTokens) return {}
  refuseSampling(request, refuse)
  const thinking = { type: 'enabled', budget_tokens: budget }
  return reasoningBudget === undefined ? { thinking } : { thinking, effort }
}

function isToolForced({ toolChoice }: ChatRequest): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object'
}

/** Whether the results at the end answer calls in front of which no signed thought stands. */
function answersForeignCall({ messages, dialect }: ChatRequest): boolean {
  if (messages.at(-1)?.role !== 'tool') return false
  const caller = messages.findLast(({ role }) => role === 'assistant')
  const isKnown = dialect === undefined || dialect === 'anthropic'
  return !isKnown || caller?.content.some((block) => block.type === 'reasoning' && isProven(block)) !== true
}

function isProven({ signature, redacted }: { readonly signature?: string | undefined; readonly redacted?: string | undefined }) {
  return signature !== undefined || redacted !== undefined
}

/** A model with a budget thinks at its own temperature only. */
function refuseSampling({ temperature, topP, topK }: ChatRequest, refuse: Refuse): void {
  if (temperature !== undefined && temperature !== 1) refuse('temperature')
  if (topP !== undefined && topP < 0.95) refuse('top_p')
  if (topK !== undefined) refuse('top_k')
}
