import type { ReasoningPart, ToolCallPart } from '@understudy/core'
import { grownName } from '../call-pieces.js'
import { madeUpId } from './encode-response.js'
import { eventText } from './event-text.js'
import { createJsonExtent, type JsonExtent } from './json-extent.js'
import type { BlockWire, DeltaWire } from './wire.js'

/** Writes the blocks of one answer: one at a time is open, each has the next index. */
export interface BlockWriter {
  text(text: string): string
  thought(part: ReasoningPart): string
  call(part: ToolCallPart, answerId: string): string
  /** Nothing more comes: closes what is open, and writes what waited behind a call that never became whole. */
  release(): string
}

interface Call {
  readonly index: number
  id: string | undefined
  name: string
  /** Its arguments until its block is open. */
  text: string
  readonly extent: JsonExtent
  /** `new` until its name is known. */
  state: 'new' | 'waiting' | 'open' | 'closed'
}

/**
 * Other dialects stream parallel calls side by side, and these blocks follow one another. So while the arguments of the open call
 * are no whole JSON yet, what belongs to other blocks waits; where the calls come one after the other, which is the rule, nothing
 * ever does.
 */
export function createBlockWriter(): BlockWriter {
  const calls = new Map<number, Call>()
  let waiting: (() => string)[] = []
  /** How many of `waiting` are written. */
  let written = 0
  let open: 'text' | 'thinking' | Call | undefined
  /** The call whose name may go on, as some providers stream it: until its arguments begin, or anything else does. */
  let naming: { readonly call: Call; readonly answerId: string } | undefined
  let next = 0

  function close(): string {
    if (open === undefined) return ''
    if (typeof open === 'object') open.state = 'closed'
    open = undefined
    return eventText({ type: 'content_block_stop', index: next - 1 })
  }

  function start(kind: NonNullable<typeof open>, block: BlockWire): string {
    const closed = close()
    open = kind
    return closed + eventText({ type: 'content_block_start', index: next++, content_block: block })
  }

  function delta(value: DeltaWire): string {
    return eventText({ type: 'content_block_delta', index: next - 1, delta: value })
  }

  /** Now, or once the open call is whole. */
  function whenFree(write: () => string): string {
    if (typeof open !== 'object' || open.extent.isOver) return write()
    waiting.push(write)
    return ''
  }

  function openCall(call: Call, answerId: string): string {
    const id = call.id ?? madeUpId(answerId, call.index)
    call.state = 'open'
    const started = start(call, { type: 'tool_use', id, name: call.name, input: {} })
    const held = call.text
    call.text = ''
    return held === '' ? started : started + delta({ type: 'input_json_delta', partial_json: held })
  }

  /** Opens the call whose name is whole now. */
  function named(): string {
    if (naming === undefined) return ''
    const { call, answerId } = naming
    naming = undefined
    call.state = 'waiting'
    return whenFree(() => openCall(call, answerId))
  }

  function drain(isLast: boolean): string {
    let text = ''
    while (written < waiting.length && (isLast || typeof open !== 'object' || open.extent.isOver)) text += waiting[written++]?.() ?? ''
    if (written === waiting.length) {
      waiting = []
      written = 0
    }
    return text
  }

  return {
    text(text) {
      if (text === '') return ''
      return named() + whenFree(() => {
        const started = open === 'text' ? '' : start('text', { type: 'text', text: '' })
        return started + delta({ type: 'text_delta', text })
      })
    },
    thought({ text, signature, redacted }) {
      return named() + whenFree(() => {
        if (redacted !== undefined) return start('text', { type: 'redacted_thinking', data: redacted }) + close()
        if (text === '' && signature === undefined) return ''
        let events = open === 'thinking' ? '' : start('thinking', { type: 'thinking', thinking: '', signature: '' })
        if (text !== '') events += delta({ type: 'thinking_delta', thinking: text })
        // A signature ends its thought.
        return signature === undefined ? events : events + delta({ type: 'signature_delta', signature }) + close()
      })
    },
    call(part, answerId) {
      const call = calls.get(part.index) ?? newCall(part)
      calls.set(part.index, call)
      const before = naming?.call === call ? '' : named()
      call.id ??= part.id
      if (call.state === 'new') call.name = grownName(call.name, part.name, call.text !== '')
      call.extent.take(part.arguments)
      if (call.state === 'new' || call.state === 'waiting') call.text += part.arguments
      if (call.state === 'new' && call.name !== '') {
        naming = { call, answerId }
        return call.text === '' ? before : before + named()
      }
      if (call.state !== 'open' || part.arguments === '') return before
      const piece = delta({ type: 'input_json_delta', partial_json: part.arguments })
      return before + (waiting.length === 0 ? piece : piece + drain(false))
    },
    release: () => named() + drain(true) + close(),
  }
}

function newCall({ index, id }: ToolCallPart): Call {
  return { index, id, name: '', text: '', extent: createJsonExtent(), state: 'new' }
}
