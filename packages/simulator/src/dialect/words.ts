import { HEALTHY_TEXT } from '../healthy-text.js'
import type { Answer } from '../script.js'

/** The text of an answer in the pieces it is streamed in; none where a refusal or calls stand in its place. */
export function textPieces({ text, refusal, toolCalls }: Answer): readonly string[] {
  if (text === undefined) return refusal === undefined && toolCalls === undefined ? words(HEALTHY_TEXT) : []
  return typeof text === 'string' ? words(text) : text
}

/** White space goes with the word before it, so that the pieces joined are the text. */
function words(text: string): readonly string[] {
  return text.match(/^\s+|\S+\s*/g) ?? []
}

/** How many tokens an answer is made up to have. */
export function countTokens(answer: Answer): number {
  return textPieces(answer).length + (answer.reasoning?.length ?? 0) + (answer.toolCalls?.length ?? 0)
}
