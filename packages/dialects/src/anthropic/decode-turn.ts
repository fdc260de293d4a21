import type { ContentBlock, Message, ToolCall } from '@understudy/core'
import { defined, isObject, listOf, textOf, type JsonObject } from '../read-json.js'
import { inputText } from './read-content.js'
import { cachePointOf, decodeBlock, decodeContent } from './content-blocks.js'

/**
 * One turn as neutral ones: each result of a tool is a turn of its own, and what stands around it stays in its place.
 *
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
export function decodeTurn(turn: JsonObject): readonly Message[] {
  const role = turn.role === 'assistant' || turn.role === 'system' ? turn.role : 'user'
  if (typeof turn.content === 'string') return [{ role, content: decodeContent(turn.content) }]

  const turns: Message[] = []
  let content: ContentBlock[] = []
  const calls: ToolCall[] = []
  for (const block of listOf(turn.content).filter(isObject)) {
    if (block.type === 'tool_result') {
      flush()
      turns.push(decodeResult(block))
    } else if (block.type === 'tool_use') {
      calls.push(decodeCall(block))
    } else {
      content.push(decodeBlock(block))
    }
  }
  flush()
  return turns

  function flush(): void {
    if (content.length === 0 && calls.length === 0) return
    turns.push(defined<Message>({ role, content, toolCalls: calls.length === 0 ? undefined : [...calls] }))
    content = []
    calls.length = 0
  }
}

function decodeCall(block: JsonObject): ToolCall {
  return { id: textOf(block.id) ?? '', name: textOf(block.name) ?? '', arguments: inputText(block.input), ...cachePointOf(block) }
}

function decodeResult(block: JsonObject): Message {
  return defined<Message>({
    role: 'tool',
    content: decodeContent(block.content),
    toolCallId: textOf(block.tool_use_id),
    isError: block.is_error === true ? true : undefined,
    ...cachePointOf(block),
  })
}
