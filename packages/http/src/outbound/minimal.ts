import type { ChatRequest } from '@understudy/core'

/** What is said of a request that is no text, image or tool, by its structural name. */
const CONTROLS = [
  ['response_format', ({ responseFormat }) => responseFormat],
  ['reasoning', ({ reasoning }) => (reasoning === true ? true : undefined)],
  ['reasoning', ({ reasoningEffort }) => reasoningEffort],
  ['reasoning', ({ reasoningBudget }) => reasoningBudget],
  ['n', ({ choices }) => (choices === 1 ? undefined : choices)],
  ['top_k', ({ topK }) => topK],
  ['seed', ({ seed }) => seed],
  ['presence_penalty', ({ presencePenalty }) => presencePenalty],
  ['frequency_penalty', ({ frequencyPenalty }) => frequencyPenalty],
] as const satisfies readonly (readonly [string, (request: ChatRequest) => unknown])[]

/**
 * What of a request goes beyond the small part of all dialects that `translate: 'minimal'` says: text, images and tools, how long and how
 * free the answer is, and where it stops. The pieces of a call in a stream are beyond it too.
 */
export function beyondMinimal(request: ChatRequest): string | undefined {
  if (request.stream && (request.tools?.length ?? 0) > 0) return 'tools-in-stream'
  const control = CONTROLS.find(([, said]) => said(request) !== undefined)
  if (control !== undefined) return control[0]
  return request.messages.some(({ content }) => content.some(({ type }) => type === 'file')) ? 'file' : undefined
}
