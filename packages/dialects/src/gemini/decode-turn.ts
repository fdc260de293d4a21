import type { ContentBlock, Message, ToolCall } from '@understudy/core'
import { otherBlock } from '../other-block.js'
import { defined, isObject, listOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import type { CallIds } from './call-ids.js'
import { camelMembers } from './camel-members.js'
import { decodePart } from './content-parts.js'
import { readResponse } from './tool-response.js'

/**
 * One turn as neutral ones: each result of a function is a turn of its own, and what stands around it stays in its place.
 *
 * https://ai.google.dev/api/caching#Content
 */
export function decodeTurn(turn: JsonObject, ids: CallIds): readonly Message[] {
  const role = turn.role === 'model' ? 'assistant' : 'user'
  const turns: Message[] = []
  let content: ContentBlock[] = []
  let calls: ToolCall[] = []

  for (const given of listOf(turn.parts).filter(isObject)) {
    const part = camelMembers(given)
    const call = objectOf(part.functionCall)
    const response = objectOf(part.functionResponse)
    if (response !== undefined) {
      flush()
      turns.push(decodeResult(response, ids))
    } else if (call !== undefined) {
      const signature = textOf(part.thoughtSignature)
      if (signature !== undefined) content.push({ type: 'reasoning', text: '', signature })
      calls.push(decodeCall(call, ids))
    } else {
      for (const block of decodePart(part)) content.push(block)
    }
  }
  flush()
  return turns

  function flush(): void {
    if (content.length === 0 && calls.length === 0) return
    turns.push(defined<Message>({ role, content, toolCalls: calls.length === 0 ? undefined : calls }))
    content = []
    calls = []
  }
}

function decodeCall(call: JsonObject, ids: CallIds): ToolCall {
  const name = textOf(call.name) ?? ''
  return { id: ids.ofCall(textOf(call.id), name), name, arguments: JSON.stringify(objectOf(call.args) ?? {}) }
}

function decodeResult(response: JsonObject, ids: CallIds): Message {
  const name = textOf(response.name) ?? ''
  const { text, isError } = readResponse(objectOf(response.response) ?? {})
  const feature = ['parts', 'scheduling', 'willContinue'].find((key) => isSaid(response[key]))
  const said: ContentBlock = feature === undefined
    ? { type: 'text', text }
    : otherBlock(response, `functionResponse.${feature}`)
  return defined<Message>({
    role: 'tool',
    content: said.type === 'text' && said.text === '' ? [] : [said],
    name: name === '' ? undefined : name,
    toolCallId: ids.ofResult(textOf(response.id), name),
    isError: isError ? true : undefined,
  })
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && !(Array.isArray(value) && value.length === 0)
}
