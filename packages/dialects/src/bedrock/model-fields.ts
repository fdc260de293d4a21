import type { ChatRequest } from '@understudy/core'
import { encodeSampling } from '../anthropic/encode-request.js'
import { encodeThinking } from '../anthropic/encode-thinking.js'
import { traitsOf } from '../anthropic/models.js'
import { defined } from '../read-json.js'
import type { Refuse } from '../untranslatable.js'

/** What only some models take, beside what the API has words for. */
export interface ModelFields {
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly topP: number | undefined
  /** `outputConfig.effort`. */
  readonly effort: string | undefined
  /** `additionalModelRequestFields`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** `additionalModelResponseFieldPaths`. */
  readonly paths: readonly string[] | undefined
}

/**
 * Whether a model is one of Anthropic's, by its id, its inference profile or its ARN. The proofs of its thoughts then hold on every platform:
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function isClaude(model: string): boolean {
  return /anthropic|claude/i.test(model)
}

/**
 * The request in the words of the model's own vendor, where the API has none.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html,
 * https://docs.aws.amazon.com/nova/latest/userguide/complete-request-schema.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-openai.html
 */
export function encodeModelFields(request: ChatRequest, model: string, refuse: Refuse): ModelFields {
  return isClaude(model) ? claudeFields(request, model, refuse) : otherFields(request, model, refuse)
}

function claudeFields(request: ChatRequest, model: string, refuse: Refuse): ModelFields {
  const traits = traitsOf(model)
  const { thinking, effort } = encodeThinking(request, traits, refuse)
  const { temperature, top_p: topP, top_k: topK } = encodeSampling(request, traits, refuse)
  const asksOne = request.parallelToolCalls === false && (request.tools?.length ?? 0) > 0 && request.toolChoice !== 'none'
  const { maxTokens, stop } = request
  // A thought counts towards the tokens, so that a model which thinks has to be told how many there are.
  const needed = maxTokens ?? (thinking?.['type'] === 'enabled' ? traits.maxTokens : undefined)
  return {
    maxTokens: needed === undefined || !traits.isLimit ? needed : Math.min(needed, traits.maxTokens),
    temperature: typeof temperature === 'number' ? temperature : undefined,
    topP: typeof topP === 'number' ? topP : undefined,
    effort,
    fields: defined({ thinking, top_k: topK, tool_choice: asksOne ? oneCall(request) : undefined }),
    paths: (stop?.length ?? 0) > 0 ? ['/stop_sequence'] : undefined,
  }
}

/** The API's own word for which tool is called cannot say that only one is. */
function oneCall({ toolChoice }: ChatRequest): Record<string, unknown> {
  const choice = typeof toolChoice === 'object' ? { type: 'tool', name: toolChoice.name } : { type: toolChoice === 'required' ? 'any' : 'auto' }
  return { ...choice, disable_parallel_tool_use: true }
}

function otherFields(request: ChatRequest, model: string, refuse: Refuse): ModelFields {
  const { temperature, topP, topK, maxTokens, reasoningEffort, reasoning } = request
  if (temperature !== undefined && temperature > 1) refuse('temperature')
  if (request.parallelToolCalls === false && (request.tools?.length ?? 0) > 0) refuse('parallel_tool_calls')
  const isNova = /nova/i.test(model)
  if (topK !== undefined && !isNova) refuse('top_k')
  // A model that is not known to reason when it is asked to answers without.
  const reasons = /gpt-oss/i.test(model) && reasoning !== false && reasoningEffort !== undefined
  return {
    maxTokens,
    temperature,
    topP,
    effort: undefined,
    fields: defined({
      inferenceConfig: topK === undefined ? undefined : { topK },
      reasoning_effort: reasons ? reasoningEffort : undefined,
    }),
    paths: undefined,
  }
}
