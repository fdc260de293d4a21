import { field } from './field.js'

/**
 * What is wrong with the turns of a conversation, as the vendor says it: the user begins, each call of a tool is answered in the very
 * next turn, no text is empty, each thought has its signature, and with a budget of thinking (`needsThought`) the answer that results of
 * tools go on with begins with a thought.
 *
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls,
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking,
 * https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking#validation-changes
 */
export function turnFault(messages: unknown, needsThought: boolean): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: Field required'
  const turns: readonly unknown[] = messages
  if (field(turns[0], 'role') !== 'user') return 'messages: first message must use the "user" role'
  let open: readonly unknown[] = []
  for (const [index, turn] of turns.entries()) {
    const role = field(turn, 'role')
    if (role !== 'user' && role !== 'assistant' && role !== 'system') return `messages.${index}.role: Input should be 'user' or 'assistant'`
    const blocks = blocksOf(turn)
    if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`
    if (blocks.some(isEmptyText)) return 'messages: text content blocks must be non-empty'
    const unsigned = blocks.findIndex(isUnsigned)
    if (unsigned >= 0) return `messages.${index}.content.${unsigned}: Invalid \`signature\` in \`thinking\` block`
    const answered = idsOf(blocks, 'tool_result', 'tool_use_id')
    if (open.some((id) => !answered.includes(id))) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`
    }
    if (answered.some((id) => !open.includes(id))) return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks`
    open = role === 'assistant' ? idsOf(blocks, 'tool_use', 'id') : []
  }
  return needsThought ? thoughtFault(turns) : undefined
}

function thoughtFault(turns: readonly unknown[]): string | undefined {
  if (!isOfResults(turns.at(-1))) return undefined
  const asked = turns.findLastIndex((turn) => field(turn, 'role') === 'user' && !isOfResults(turn))
  const index = turns.findIndex((turn, at) => at > asked && field(turn, 'role') === 'assistant')
  const type = String(field(blocksOf(turns[index])[0], 'type'))
  if (type === 'thinking' || type === 'redacted_thinking') return undefined
  return `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, `
    + 'a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).'
}

function isOfResults(turn: unknown): boolean {
  return idsOf(blocksOf(turn), 'tool_result', 'tool_use_id').length > 0
}

function blocksOf(turn: unknown): readonly unknown[] {
  const content = field(turn, 'content')
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : []
}

function isEmptyText(block: unknown): boolean {
  const text = field(block, 'text')
  return field(block, 'type') === 'text' && (typeof text !== 'string' || text.trim() === '')
}

function isUnsigned(block: unknown): boolean {
  const signature = field(block, 'signature')
  return field(block, 'type') === 'thinking' && (typeof signature !== 'string' || signature === '')
}

function idsOf(blocks: readonly unknown[], type: string, key: string): readonly unknown[] {
  return blocks.filter((block) => field(block, 'type') === type).map((block) => field(block, key))
}
