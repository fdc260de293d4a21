import type { ContentBlock, Message, ToolCall } from '@understudy/core'
import { defined, isObject, parseJson } from '../read-json.js'
import type { Refuse } from '../untranslatable.js'
import { saidId } from './call-ids.js'
import { encodeBlock } from './content-parts.js'
import { responseOf } from './tool-response.js'
import { NO_SIGNATURE } from './wire.js'

type Wire = Record<string, unknown>

/** The turns of a request as the API wants them. */
export interface Turns {
  readonly systemInstruction: Wire | undefined
  readonly contents: readonly Wire[]
}

/** How turns are written. */
export interface TurnOptions {
  /** Whether the request came in this dialect. */
  readonly isOwn: boolean
  /** Whether it never was on a wire. */
  readonly isFromCode: boolean
  /** Whether the model refuses a call without the signature of a thought. */
  readonly needsSignatures: boolean
  readonly refuse: Refuse
}

interface Turn {
  readonly role: 'user' | 'model'
  /** Results stand in a turn of their own, right behind their calls. */
  readonly kind: 'said' | 'results'
  readonly parts: Wire[]
}

/**
 * Puts the turns into the API's order: what the system says apart from all others, the results of calls together, and one turn where
 * several of one side follow each other.
 *
 * https://ai.google.dev/api/caching#Content, https://ai.google.dev/gemini-api/docs/function-calling
 */
export function encodeTurns(messages: readonly Message[], options: TurnOptions): Turns {
  const { isOwn, isFromCode, needsSignatures, refuse } = options
  const system: Wire[] = []
  const turns: Turn[] = []
  const names = new Map<string, string>()

  for (const message of messages) {
    const { role, content, toolCalls = [] } = message
    if (message.name !== undefined && role !== 'tool') refuse('message-name')
    for (const { id, name } of toolCalls) names.set(id, name)
    if (role === 'system') for (const part of partsOf(content, role)) system.push(part)
    else if (role === 'tool') add('user', 'results', [resultOf(message)])
    else if (role === 'user') add('user', 'said', partsOf(content, role))
    else add('model', 'said', modelParts(content, toolCalls))
  }
  if (turns.length === 0) refuse('no-turn')
  if (!isOwn && turns[0]?.role === 'model') refuse('first-turn-assistant')
  // Whether the answer goes on from such a turn, or begins anew, is said nowhere.
  if (!isOwn && !isFromCode && turns.at(-1)?.role === 'model') refuse('last-turn-assistant')
  return {
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    contents: turns.map(({ role, parts }) => ({ role, parts })),
  }

  function add(role: Turn['role'], kind: Turn['kind'], parts: readonly Wire[]): void {
    const last = turns.at(-1)
    if (parts.length === 0) return
    // Not `push(...parts)`: a call takes only so many arguments.
    if (last?.role === role && last.kind === kind) for (const part of parts) last.parts.push(part)
    else turns.push({ role, kind, parts: [...parts] })
  }

  function partsOf(content: readonly ContentBlock[], role: Message['role']): readonly Wire[] {
    return content.flatMap((block): readonly Wire[] => {
      if (block.type === 'reasoning') return []
      if (role !== 'user' && (block.type === 'image' || block.type === 'file')) refuse(`${role}-${block.type}`)
      const part = encodeBlock(block, isOwn, refuse)
      return part === undefined ? [] : [part]
    })
  }

  /** A proof goes with the part behind it, as it came. */
  function modelParts(content: readonly ContentBlock[], calls: readonly ToolCall[]): readonly Wire[] {
    const parts: Wire[] = []
    let proof: string | undefined
    const push = (part: Wire): void => {
      parts.push(proof === undefined ? part : { ...part, thoughtSignature: proof })
      proof = undefined
    }
    for (const block of content) {
      if (block.type !== 'reasoning') partsOf([block], 'assistant').forEach(push)
      // What another provider's model thought is nothing to this one.
      else if ((!isOwn && !isFromCode) || block.redacted !== undefined) continue
      else if (block.text === '') proof = block.signature
      else parts.push(defined({ text: block.text, thought: true, thoughtSignature: block.signature }))
    }
    for (const [index, call] of calls.entries()) {
      if (index === 0 && needsSignatures) proof ??= NO_SIGNATURE
      push(callPart(call))
    }
    return proof === undefined ? parts : [...parts, { text: '', thoughtSignature: proof }]
  }

  function callPart({ id, name, arguments: text }: ToolCall): Wire {
    const args = text.trim() === '' ? {} : parseJson(text)
    return { functionCall: defined({ id: saidId(id), name, args: isObject(args) ? args : refuse('tool-call-arguments') }) }
  }

  function resultOf({ toolCallId, name: given, content, isError = false }: Message): Wire {
    const name = names.get(toolCallId ?? '') ?? given ?? refuse('tool-result-name')
    const text = partsOf(content, 'tool').map((part) => (typeof part['text'] === 'string' ? part['text'] : refuse('tool-content'))).join('')
    return { functionResponse: defined({ id: saidId(toolCallId ?? ''), name, response: responseOf({ text, isError }) }) }
  }
}
