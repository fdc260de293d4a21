import { isObject, listOf, type JsonObject } from '../read-json.js'
import { traitsOf } from './models.js'
import { NO_SIGNATURE } from './wire.js'

/**
 * The turns of a body that sends calls back which another dialect's leg made: with the vendor's own word for a signature that there is
 * none of, where the model refuses a call without. The first call of a turn carries it, as it does in an answer.
 *
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export function mendedMembers({ contents }: JsonObject, model: string): JsonObject | undefined {
  if (!traitsOf(model).needsSignatures) return undefined
  const turns = listOf(contents)
  const mended = turns.map(signed)
  return mended.every((turn, index) => turn === turns[index]) ? undefined : { contents: mended }
}

function signed(turn: unknown): unknown {
  if (!isObject(turn) || turn.role !== 'model') return turn
  const parts = listOf(turn.parts)
  const first = parts.findIndex(isCall)
  const call = parts[first]
  if (!isObject(call) || parts.some((part) => isCall(part) && isObject(part) && part.thoughtSignature !== undefined)) return turn
  return { ...turn, parts: parts.with(first, { ...call, thoughtSignature: NO_SIGNATURE }) }
}

function isCall(part: unknown): boolean {
  return isObject(part) && isObject(part.functionCall)
}
