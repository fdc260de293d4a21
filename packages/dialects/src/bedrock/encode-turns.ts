import type { ContentBlock, Message, ToolCall } from '@understudy/core'
import { isObject, parseJson } from '../read-json.js'
import { CACHE_POINT, takesCachePoint, withoutLatePoints } from './cache-points.js'
import { encodeBlock, type BlockContext } from './content-blocks.js'

type Wire = Record<string, unknown>

/** The turns of a request as the API wants them. */
export interface Turns {
  readonly system: readonly Wire[] | undefined
  readonly messages: readonly Wire[]
  /** Whether a turn calls a tool or has its result. */
  readonly hasCalls: boolean
}

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly content: Wire[]
}

/**
 * Puts the turns into the API's order: what the system says beside all others, the results of tools in the user's turn, and one turn
 * where several of one side follow each other. `isFromCode`: the request was on no wire, so that a last turn of the assistant is meant to
 * be gone on from.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html
 */
export function encodeTurns(messages: readonly Message[], isFromCode: boolean, context: BlockContext): Turns {
  const { refuse, cachePlaces } = context
  const system: Wire[] = []
  const turns: Turn[] = []
  let hasCalls = false

  for (const message of messages) {
    const { role } = message
    // The name of a tool's result only says again what its id says.
    if (message.name !== undefined && role !== 'tool') refuse('message-name')
    if (role === 'system') {
      for (const block of blocksOf(message.content, 'system')) system.push(block)
    } else if (role === 'tool') {
      hasCalls = true
      const isCached = message.cachePoint === true || message.content.some((block) => 'cachePoint' in block && block.cachePoint === true)
      add('user', pointed(resultOf(message), 'user', isCached))
    } else {
      const calls = message.toolCalls ?? []
      hasCalls ||= calls.length > 0
      add(role, [...blocksOf(message.content, role), ...calls.flatMap((call) => pointed(useOf(call), role, call.cachePoint === true))])
    }
  }
  if (turns.length === 0) refuse('no-turn')
  if (turns[0]?.role === 'assistant') refuse('first-turn-assistant')
  // Here the answer would go on from such a turn, where elsewhere it begins anew.
  if (!isFromCode && turns.at(-1)?.role === 'assistant') refuse('last-turn-assistant')
  for (const { content } of turns) if (content.some(isDocument) && !content.some(isText)) refuse('file-without-text')
  return { system: system.length === 0 ? undefined : system, messages: withoutLatePoints(turns).map(({ role, content }) => ({ role, content })), hasCalls }

  function add(role: Turn['role'], blocks: readonly Wire[]): void {
    const last = turns.at(-1)
    if (blocks.length === 0) return
    // Not `push(...blocks)`: a call takes only so many arguments.
    if (last?.role === role) for (const block of blocks) last.content.push(block)
    else turns.push({ role, content: [...blocks] })
  }

  function blocksOf(content: readonly ContentBlock[], role: Message['role']): readonly Wire[] {
    return content.flatMap((block): readonly Wire[] => {
      const isMedia = block.type === 'image' || block.type === 'file'
      if (isMedia && (role === 'system' || role === 'assistant')) refuse(`${role}-${block.type}`)
      const wire = encodeBlock(block, context)
      if (wire === undefined) return []
      return role === 'tool' ? [wire] : pointed(wire, role, 'cachePoint' in block && block.cachePoint === true)
    })
  }

  function pointed(block: Wire, role: 'user' | 'assistant' | 'system', isCached: boolean): readonly Wire[] {
    return isCached && takesCachePoint(block, role, cachePlaces) ? [block, CACHE_POINT] : [block]
  }

  function resultOf({ toolCallId, content, isError }: Message): Wire {
    if (toolCallId === undefined) return refuse('tool-result-id')
    const status = isError === true ? { status: 'error' } : undefined
    return { toolResult: { toolUseId: idOf(toolCallId), content: blocksOf(content, 'tool'), ...status } }
  }

  function useOf({ id, name, arguments: text }: ToolCall): Wire {
    const input = text.trim() === '' ? {} : parseJson(text)
    return { toolUse: { toolUseId: idOf(id), name, input: isObject(input) ? input : refuse('tool-call-arguments') } }
  }
}

function isDocument(block: Wire): boolean {
  return 'document' in block
}

function isText(block: Wire): boolean {
  return 'text' in block
}

/** Ids of other vendors' calls may have characters or a length that this API refuses; a call and its result change alike. */
function idOf(id: string): string {
  return id.replace(/[^A-Za-z0-9_-]/g, '_').slice(-64)
}
