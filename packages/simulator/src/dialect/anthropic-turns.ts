import { field } from './field.js'

/**
 * What is wrong with the turns of a conversation, as the vendor says it: the user begins, each call of a tool is answered in the very
 * next turn, no text is empty, and each thought has its signature.
 *
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls,
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking
 */
export function turnFault(messages: unknown): string | undefined {
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
  return undefined
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
