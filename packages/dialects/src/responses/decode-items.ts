import type { ContentBlock, Message, ToolCall } from '@understudy/core'
import { otherBlock } from '../other-block.js'
import { defined, isObject, listOf, textOf, type JsonObject } from '../read-json.js'
import { decodeContent } from './content-blocks.js'
import { isMadeUpThought, isReference } from './mend-input.js'
import { proofOf } from './wire.js'

/**
 * The input as neutral turns: what the model said in a row (thoughts, messages, calls) is one turn of the assistant, each output of a
 * call is a turn of its own. Items of a kind that only this API has are blocks that no other dialect can say.
 *
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function decodeItems(input: unknown): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: decodeContent(input) }]
  const turns: Message[] = []
  let said: ContentBlock[] = []
  let calls: ToolCall[] = []
  for (const item of listOf(input).filter(isObject)) {
    if (isMadeUpThought(item) && item.type !== 'reasoning') continue
    const type = textOf(item.type) ?? (isReference(item) ? 'item_reference' : 'message')
    if (type === 'message' && item.role === 'assistant') {
      for (const block of decodeContent(item.content)) said.push(block)
    } else if (type === 'message') {
      add({ role: item.role === 'system' || item.role === 'developer' ? 'system' : 'user', content: decodeContent(item.content) })
    } else if (type === 'reasoning') {
      said.push(defined<ContentBlock>({ type: 'reasoning', text: thoughtsOf(item), signature: proofOf(item) }))
    } else if (type === 'function_call') {
      calls.push({ id: textOf(item.call_id) ?? '', name: textOf(item.name) ?? '', arguments: textOf(item.arguments) ?? '{}' })
    } else if (type === 'function_call_output') {
      add(defined<Message>({ role: 'tool', content: decodeContent(item.output), toolCallId: textOf(item.call_id) }))
    } else if (/_(?:output|response)$/.test(type)) {
      add({ role: 'user', content: [otherBlock(item, type)] })
    } else {
      said.push(otherBlock(item, type))
    }
  }
  flush()
  return turns

  function add(turn: Message): void {
    flush()
    turns.push(turn)
  }

  function flush(): void {
    if (said.length === 0 && calls.length === 0) return
    turns.push(defined<Message>({ role: 'assistant', content: said, toolCalls: calls.length === 0 ? undefined : calls }))
    said = []
    calls = []
  }
}

/** What a reasoning item shows of its thoughts: the paragraphs of its summary, else the thoughts themselves. */
export function thoughtsOf(item: JsonObject): string {
  const [summary, content] = [item.summary, item.content].map((parts) =>
    listOf(parts).filter(isObject).map(({ text }) => textOf(text) ?? '').join('\n\n'),
  )
  return textOf(summary) ?? content ?? ''
}
