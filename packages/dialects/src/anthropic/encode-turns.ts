import type { ContentBlock, Message, ToolCall } from '@understudy/core'
import { isObject, parseJson } from '../read-json.js'
import type { Refuse } from '../untranslatable.js'
import { cacheControlOf, encodeBlock } from './content-blocks.js'

type Wire = Record<string, unknown>

/** The turns of a request as the API wants them. */
export interface Turns {
  readonly system: string | readonly Wire[] | undefined
  readonly messages: readonly Wire[]
}

interface Turn {
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: Wire[]
}

/**
 * Puts the turns into the API's order: what the system says in front of all others, the results of tools in the user's turn, and one turn
 * where several of one side follow each other. `isOwn`: the request came in this dialect, so that what only this dialect can say is
 * said again, and a system turn stays where it stood.
 *
 * https://platform.claude.com/docs/en/api/messages/create, https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
export function encodeTurns(messages: readonly Message[], isOwn: boolean, isFromCode: boolean, refuse: Refuse): Turns {
  const system: Wire[] = []
  const turns: Turn[] = []

  for (const message of messages) {
    const { role } = message
    // The name of a tool's result only says again what its id says.
    if (message.name !== undefined && role !== 'tool') refuse('message-name')
    if (role === 'system') {
      const blocks = blocksOf(message.content, 'system')
      if (isOwn && turns.length > 0) add('system', blocks)
      else for (const block of blocks) system.push(block)
    } else if (role === 'tool') {
      add('user', [resultOf(message)])
    } else {
      add(role, [...blocksOf(message.content, role), ...(message.toolCalls ?? []).map(useOf)])
    }
  }
  if (turns.length === 0) refuse('no-turn')
  if (!isOwn && turns[0]?.role === 'assistant') refuse('first-turn-assistant')
  // Here the answer would go on from such a turn, where elsewhere it begins anew.
  if (!isOwn && !isFromCode && turns.at(-1)?.role === 'assistant') refuse('last-turn-assistant')
  return {
    system: system.length === 0 ? undefined : contentOf(system),
    messages: turns.map(({ role, blocks }) => ({ role, content: contentOf(blocks) })),
  }

  function add(role: Turn['role'], blocks: readonly Wire[]): void {
    const last = turns.at(-1)
    if (blocks.length === 0) return
    // Not `push(...blocks)`: a call takes only so many arguments.
    if (last?.role === role) for (const block of blocks) last.blocks.push(block)
    else turns.push({ role, blocks: [...blocks] })
  }

  function blocksOf(content: readonly ContentBlock[], role: Message['role']): readonly Wire[] {
    return content.flatMap((block): readonly Wire[] => {
      const isMedia = block.type === 'image' || block.type === 'file'
      if (isMedia && (role === 'system' || role === 'assistant')) refuse(`${role}-${block.type}`)
      const wire = encodeBlock(block, isOwn || (isFromCode && block.type === 'reasoning'), refuse)
      return wire === undefined ? [] : [wire]
    })
  }

  function resultOf(message: Message): Wire {
    const { toolCallId, content, isError } = message
    if (toolCallId === undefined) return refuse('tool-result-id')
    const blocks = blocksOf(content, 'tool')
    return {
      type: 'tool_result',
      tool_use_id: idOf(toolCallId),
      ...(blocks.length === 0 ? undefined : { content: contentOf(blocks) }),
      ...(isError === true ? { is_error: true } : undefined),
      ...cacheControlOf(message),
    }
  }

  function useOf(call: ToolCall): Wire {
    const { id, name, arguments: text } = call
    const input = text.trim() === '' ? {} : parseJson(text)
    return { type: 'tool_use', id: idOf(id), name, input: isObject(input) ? input : refuse('tool-call-arguments'), ...cacheControlOf(call) }
  }
}

/** A lone plain text is a string. */
function contentOf(blocks: readonly Wire[]): string | readonly Wire[] {
  const [first] = blocks
  const isPlain = blocks.length === 1 && first?.['type'] === 'text' && Object.keys(first).length === 2
  return isPlain && typeof first['text'] === 'string' ? first['text'] : blocks
}

/** Ids of other vendors' calls may have characters that this API refuses; a call and its result change alike. */
function idOf(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_')
}
