import type { Part } from '@understudy/core'
import { textPart } from '../parts.js'
import { isObject, listOf, objectOf, textOf } from '../read-json.js'
import type { JsonObject } from '../read-json.js'
import type { ToolCallIndex } from './tool-call-index.js'

/**
 * Appends what a delta or a whole message says. Only strings that are not empty say anything. `toolCallsOf` is asked for a choice's
 * index of calls once there is a call.
 */
export function readMessage(
  message: JsonObject,
  choice: number,
  toolCallsOf: (choice: number) => ToolCallIndex,
  parts: Part[],
): void {
  const where = choice === 0 ? undefined : { choice }
  const reasoning = reasoningOf(message)
  if (reasoning !== undefined) parts.push(textPart('reasoning', reasoning, choice))

  if (typeof message.content === 'string') {
    if (message.content !== '') parts.push(textPart('text', message.content, choice))
  } else {
    for (const block of listOf(message.content).filter(isObject)) readBlock(block, choice, parts)
  }

  const refusal = textOf(message.refusal)
  if (refusal !== undefined) parts.push(textPart('refusal', refusal, choice))

  const calls = listOf(message.tool_calls).filter(isObject)
  const toolCalls = calls.length === 0 ? undefined : toolCallsOf(choice)
  for (const [position, call] of calls.entries()) {
    const { index = 0, name } = toolCalls?.of(call, position, calls.length) ?? {}
    pushToolCall(call, index, name, where, parts)
  }
  const legacyCall = objectOf(message.function_call)
  if (legacyCall !== undefined) pushToolCall({ function: legacyCall }, 0, textOf(legacyCall.name), where, parts)

  if (isObject(message.audio) ? hasOutput(message.audio) : listOf(message.images).length > 0) {
    parts.push({ type: 'media', ...where })
  }
}

/** The name of the string that says the only text or thought of a message; `undefined` where that is said otherwise. */
export function textKeyOf({ content, reasoning_content, reasoning }: JsonObject): string | undefined {
  if (textOf(content) !== undefined) return 'content'
  if (textOf(reasoning_content) !== undefined) return 'reasoning_content'
  return textOf(reasoning) === undefined ? undefined : 'reasoning'
}

/** The same thought may stand under several names; it is read once. */
function reasoningOf(message: JsonObject): string | undefined {
  const text = textOf(message.reasoning_content) ?? textOf(message.reasoning)
  if (text !== undefined) return text
  const details = listOf(message.reasoning_details).filter(isObject)
  return textOf(details.map((detail) => textOf(detail.text) ?? textOf(detail.summary) ?? '').join(''))
}

/** A content block, as Mistral and some gateways send them. */
function readBlock(block: JsonObject, choice: number, parts: Part[]): void {
  const text = textOf(block.text)
  switch (block.type) {
    case 'text':
    case 'output_text':
    case undefined:
      if (text !== undefined) parts.push(textPart('text', text, choice))
      return
    case 'thinking':
    case 'reasoning':
      for (const thought of thoughtsOf(block)) parts.push(textPart('reasoning', thought, choice))
      return
    case 'refusal': {
      const refusal = textOf(block.refusal) ?? text
      if (refusal !== undefined) parts.push(textPart('refusal', refusal, choice))
      return
    }
    case 'image_url':
    case 'image':
    case 'audio':
    case 'output_audio':
    case 'output_image':
    case 'file':
      parts.push(choice === 0 ? { type: 'media' } : { type: 'media', choice })
      return
    default:
      return
  }
}

function thoughtsOf(block: JsonObject): readonly string[] {
  const whole = textOf(block.thinking) ?? textOf(block.text)
  if (whole !== undefined) return [whole]
  return listOf(block.thinking).flatMap((piece) => textOf(objectOf(piece)?.text) ?? [])
}

function pushToolCall(
  call: JsonObject,
  index: number,
  name: string | undefined,
  where: { readonly choice: number } | undefined,
  parts: Part[],
): void {
  const { arguments: argumentsValue } = objectOf(call.function) ?? objectOf(call.custom) ?? {}
  const id = textOf(call.id)
  const text = argumentsText(argumentsValue ?? objectOf(call.custom)?.input)
  if (id === undefined && name === undefined && text === '') return
  parts.push({
    type: 'tool-call',
    index,
    ...(id === undefined ? undefined : { id }),
    ...(name === undefined ? undefined : { name }),
    arguments: text,
    ...where,
  })
}

/** JSON text by contract; some servers send the object itself. */
function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ''
}

function hasOutput(audio: JsonObject): boolean {
  return textOf(audio.data) !== undefined || textOf(audio.transcript) !== undefined
}
