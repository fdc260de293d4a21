import type { ChatRequest } from '@understudy/core'
import type { ThinkingTraits } from './models.js'

/** Tokens of thinking for an effort, where a model wants a number. They are ours: the API has no such table. */
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 512],
  ['low', 2_048],
  ['medium', 8_192],
  ['high', 16_384],
  ['xhigh', 24_576],
  ['max', 32_768],
])

/** The words that every model with levels takes; `medium` only some. */
const LEVELS: ReadonlyMap<string, 'low' | 'medium' | 'high'> = new Map([
  ['none', 'low'],
  ['minimal', 'low'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'high'],
])

/** Tokens up to which an effort is meant, where another dialect says a number. They are ours. */
const LEVEL_OF_BUDGET = [
  [4_096, 'low'],
  [16_384, 'medium'],
] as const

/**
 * The request's wish to reason, as the model takes it: a number within the model's bounds, or a word. A model that does not think answers
 * without; one that cannot go without thinks as little as it can.
 *
 * https://ai.google.dev/gemini-api/docs/thinking
 */
export function encodeThinking(request: ChatRequest, traits: ThinkingTraits): Readonly<Record<string, unknown>> | undefined {
  const { reasoning, reasoningEffort, reasoningBudget } = request
  if (traits.by === 'none' || (reasoning === undefined && reasoningEffort === undefined)) return undefined
  if (traits.by === 'level') {
    const level = reasoning === false ? 'low' : levelOf(reasoningEffort, reasoningBudget)
    return shown(level === undefined ? {} : { thinkingLevel: level === 'medium' && !traits.hasMedium ? 'high' : level }, reasoning)
  }
  if (reasoning === false) return { thinkingBudget: traits.mayBeOff ? 0 : traits.min }
  const budget = reasoningBudget ?? BUDGETS.get(reasoningEffort ?? '')
  return shown(budget === undefined ? {} : { thinkingBudget: Math.min(Math.max(budget, traits.min), traits.max) }, reasoning)
}

function levelOf(effort: string | undefined, budget: number | undefined): 'low' | 'medium' | 'high' | undefined {
  const level = LEVELS.get(effort ?? '')
  if (level !== undefined || budget === undefined) return level
  return LEVEL_OF_BUDGET.find(([below]) => budget < below)?.[1] ?? 'high'
}

/** Who asks for thoughts wants to read them. */
function shown(config: Readonly<Record<string, unknown>>, reasoning: boolean | undefined): Readonly<Record<string, unknown>> | undefined {
  if (reasoning === true) return { ...config, includeThoughts: true }
  return Object.keys(config).length === 0 ? undefined : config
}
