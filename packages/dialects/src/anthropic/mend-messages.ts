import { isObject, listOf, objectOf, textOf, type JsonObject } from '../read-json.js'

/**
 * The members of a body that sends thoughts back which another dialect's leg had: without them, since the API refuses a thought whose
 * signature it did not make, and a turn that has nothing else stays behind. Where the results at the end answer calls in front of which
 * no thought is left, a budget of thinking stays behind too (the member is there and `undefined`): the API refuses that, and takes it
 * with `adaptive`. Hot: a body without either is looked at and not copied.
 *
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks,
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking#validation-changes
 */
export function mendedMembers({ messages, thinking, context_management: context }: JsonObject): JsonObject | undefined {
  const turns = listOf(messages)
  const isSigned = !turns.some((turn) => blocksOf(turn).some(isUnsigned))
  const kept = isSigned ? turns : turns.flatMap(withoutUnsigned)
  const thinks = objectOf(thinking)?.type !== 'enabled' || opensWithThought(kept)
  if (isSigned && thinks) return undefined
  return {
    ...(isSigned ? undefined : { messages: kept }),
    ...(thinks ? undefined : { thinking: undefined, ...withoutClearing(context) }),
  }
}

function withoutUnsigned(turn: unknown): readonly unknown[] {
  const blocks = blocksOf(turn)
  const kept = blocks.filter((block) => !isUnsigned(block))
  if (!isObject(turn) || kept.length === blocks.length) return [turn]
  return kept.length === 0 ? [] : [{ ...turn, content: kept }]
}

function blocksOf(turn: unknown): readonly unknown[] {
  return isObject(turn) && turn.role === 'assistant' ? listOf(turn.content) : []
}

function isUnsigned(block: unknown): boolean {
  return isObject(block) && block.type === 'thinking' && (textOf(block.signature) ?? '') === ''
}

/** Whether the answer that the results at the end go on with began with a thought. What was said before it need not. */
function opensWithThought(turns: readonly unknown[]): boolean {
  if (!hasResults(turns.at(-1))) return true
  const asked = turns.findLastIndex((turn) => isObject(turn) && turn.role === 'user' && !hasResults(turn))
  const opener = turns.slice(asked + 1).find((turn) => isObject(turn) && turn.role === 'assistant')
  const [first] = blocksOf(opener)
  return isObject(first) && (first.type === 'thinking' || first.type === 'redacted_thinking')
}

function hasResults(turn: unknown): boolean {
  return isObject(turn) && turn.role === 'user' && listOf(turn.content).some((block) => isObject(block) && block.type === 'tool_result')
}

/** To clear thoughts away is refused where none are had. */
function withoutClearing(context: unknown): JsonObject | undefined {
  const edits = listOf(objectOf(context)?.edits)
  const kept = edits.filter((edit) => !isObject(edit) || textOf(edit.type)?.startsWith('clear_thinking_') !== true)
  return kept.length === edits.length ? undefined : { context_management: { ...objectOf(context), edits: kept } }
}
