import { isObject, listOf, textOf, type JsonObject } from '../read-json.js'

/**
 * The turns of a body that sends thoughts back which another dialect's leg had: without them, since the API refuses a thought whose
 * signature it did not make, and a turn that has nothing else stays behind. Hot: a body without such a thought is looked at and not copied.
 *
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks
 */
export function mendedMembers({ messages }: JsonObject): JsonObject | undefined {
  const turns = listOf(messages)
  if (!turns.some((turn) => blocksOf(turn).some(isUnsigned))) return undefined
  return {
    messages: turns.flatMap((turn) => {
      const blocks = blocksOf(turn)
      const kept = blocks.filter((block) => !isUnsigned(block))
      if (!isObject(turn) || kept.length === blocks.length) return [turn]
      return kept.length === 0 ? [] : [{ ...turn, content: kept }]
    }),
  }
}

function blocksOf(turn: unknown): readonly unknown[] {
  return isObject(turn) && turn.role === 'assistant' ? listOf(turn.content) : []
}

function isUnsigned(block: unknown): boolean {
  return isObject(block) && block.type === 'thinking' && (textOf(block.signature) ?? '') === ''
}
