import type {
  EndPart, FinishPart, FinishReason, Part, ReasoningPart, RefusalPart, StartPart, TextPart, Usage, UsagePart,
} from '@understudy/core'

// The parts that nearly every answer has. Each begins as `{}`: V8 counts, for every other object literal, how many of its objects outlive a
// collection, and makes them in the old generation once most do, where the texts of every answer then stay with them.

type Unsealed<T> = { -readonly [Member in keyof T]: T[Member] }

/** The terminal marker; it says nothing of its answer. */
export const END_PART: EndPart = { type: 'end' }

/** The opener of an answer, of what is known of it. */
export function startPart(
  id: string | undefined,
  model: string | undefined,
  created?: number,
  systemFingerprint?: string,
): StartPart {
  const part = {} as Unsealed<StartPart>
  part.type = 'start'
  if (id !== undefined) part.id = id
  if (model !== undefined) part.model = model
  if (created !== undefined) part.created = created
  if (systemFingerprint !== undefined) part.systemFingerprint = systemFingerprint
  return part
}

/** Output text, a thought, or the words of a refusal. `choice`: absent = 0. */
export function textPart(type: 'text' | 'reasoning' | 'refusal', text: string, choice = 0): TextPart | ReasoningPart | RefusalPart {
  const part = {} as Unsealed<TextPart | ReasoningPart | RefusalPart>
  part.type = type
  part.text = text
  if (choice !== 0) part.choice = choice
  return part
}

/** Why a choice ended. `choice`: absent = 0. */
export function finishPart(reason: FinishReason, raw: string, choice = 0): FinishPart {
  const part = {} as Unsealed<FinishPart>
  part.type = 'finish'
  part.reason = reason
  part.raw = raw
  if (choice !== 0) part.choice = choice
  return part
}

/** What was counted. */
export function usagePart(usage: Usage): UsagePart {
  const part = {} as Unsealed<UsagePart>
  part.type = 'usage'
  part.usage = usage
  return part
}

/** Of the parts from `before` on only the error, if one is among them: what fails says nothing else. */
export function keepError(parts: Part[], before: number): void {
  const error = parts.slice(before).find((part) => part.type === 'error')
  if (error !== undefined) parts.splice(before, parts.length - before, error)
}
