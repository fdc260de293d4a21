import type { ReasoningPart, ToolCallPart } from '@understudy/core'
import { createJsonExtent, type JsonExtent } from '../anthropic/json-extent.js'
import { grownName } from '../call-pieces.js'
import { madeUpId, plainName, readProof, type ContentWire, type IdKind, type ItemStatus, type ItemWire } from './wire.js'

type Members = Readonly<Record<string, unknown>>

/** Told of each event of an answer's items, in the order in which a client counts on them. */
export type Emit = (type: string, members: Members) => void

/** Puts the items of one answer together: each opens once, in its place, and ends once. */
export interface OutputItems {
  text(type: ContentWire['type'], text: string): void
  thought(part: ReasoningPart): void
  call(part: ToolCallPart): void
  /** Ends all that is open, so that nothing more is told of it. */
  close(status: Exclude<ItemStatus, 'in_progress'>): void
  /** As they are now. */
  wires(): readonly ItemWire[]
}

interface Message {
  readonly kind: 'message'
  readonly id: string
  readonly place: number
  readonly content: { readonly type: ContentWire['type']; text: string }[]
  status: ItemStatus
}

interface Reasoning {
  readonly kind: 'reasoning'
  readonly id: string
  readonly place: number
  text: string
  encrypted: string | undefined
}

interface Call {
  readonly kind: 'function_call'
  /** -1 until it is open. */
  place: number
  id: string
  callId: string | undefined
  name: string
  text: string
  readonly extent: JsonExtent
  status: ItemStatus
}

/**
 * A message or a thought ends where another item begins; a call does once its arguments are whole, so that calls which are streamed side
 * by side stay open side by side. `answerId` gives items their ids where the leg gave none.
 *
 * https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function createOutputItems(answerId: () => string, emit: Emit): OutputItems {
  const items: (Message | Reasoning | Call)[] = []
  const calls = new Map<number, Call>()
  /** Calls whose arguments are whole, until the next item opens. */
  let whole: Call[] = []
  let open: Message | Reasoning | undefined
  /** The call whose name may go on, as some providers stream it: until its arguments begin, or anything else does. */
  let naming: { readonly call: Call; readonly index: number } | undefined

  function idOf(kind: IdKind, place: number): string {
    return madeUpId(kind, `${plainName(answerId())}${place}`)
  }

  function add(item: Message | Reasoning | Call): void {
    items.push(item)
    emit('response.output_item.added', { output_index: item.place, item: wireOf(item) })
  }

  function closeOpen(status: Exclude<ItemStatus, 'in_progress'>): void {
    if (open === undefined) return
    const { id, place } = open
    if (open.kind === 'message') {
      closeContent(open)
      open.status = status
    } else if (open.text !== '') {
      const where = { item_id: id, output_index: place, summary_index: 0 }
      emit('response.reasoning_summary_text.done', { ...where, text: open.text })
      emit('response.reasoning_summary_part.done', { ...where, part: { type: 'summary_text', text: open.text } })
    }
    emit('response.output_item.done', { output_index: place, item: wireOf(open) })
    open = undefined
  }

  function closeContent({ id, place, content }: Message): void {
    const last = content.at(-1)
    if (last === undefined) return
    const where = { item_id: id, output_index: place, content_index: content.length - 1 }
    if (last.type === 'refusal') emit('response.refusal.done', { ...where, refusal: last.text })
    else emit('response.output_text.done', { ...where, text: last.text, logprobs: [] })
    emit('response.content_part.done', { ...where, part: contentWire(last) })
  }

  function closeCall(call: Call, status: Exclude<ItemStatus, 'in_progress'>): void {
    const { id, place, name } = call
    // Clients parse what they get, and a call without arguments has none to parse.
    if (call.text === '') addArguments(call, '{}')
    call.status = status
    emit('response.function_call_arguments.done', { item_id: id, output_index: place, name, arguments: call.text })
    emit('response.output_item.done', { output_index: place, item: wireOf(call) })
  }

  function closeWholeCalls(): void {
    if (whole.length === 0) return
    for (const call of whole) closeCall(call, 'completed')
    whole = []
  }

  function addArguments(call: Call, text: string): void {
    call.text += text
    emit('response.function_call_arguments.delta', { item_id: call.id, output_index: call.place, delta: text })
  }

  function openCall(call: Call, index: number): void {
    closeOpen('completed')
    closeWholeCalls()
    const held = call.text
    call.text = ''
    call.place = items.length
    call.id = idOf('fc', call.place)
    call.callId ??= `call_${plainName(answerId())}${index}`
    add(call)
    if (held !== '') addArguments(call, held)
  }

  /** Opens the call whose name is whole now. */
  function endName(): void {
    if (naming === undefined) return
    const { call, index } = naming
    naming = undefined
    openCall(call, index)
  }

  function openReasoning(id: string | undefined): Reasoning {
    closeOpen('completed')
    closeWholeCalls()
    const place = items.length
    const item: Reasoning = { kind: 'reasoning', id: id ?? idOf('rs', place), place, text: '', encrypted: undefined }
    open = item
    add(item)
    return item
  }

  function openMessage(): Message {
    closeOpen('completed')
    closeWholeCalls()
    const place = items.length
    const item: Message = { kind: 'message', id: idOf('msg', place), place, content: [], status: 'in_progress' }
    open = item
    add(item)
    return item
  }

  return {
    text(type, text) {
      if (text === '') return
      endName()
      const message = open?.kind === 'message' ? open : openMessage()
      const { id, place, content } = message
      let last = content.at(-1)
      if (last?.type !== type) {
        closeContent(message)
        last = { type, text: '' }
        content.push(last)
        emit('response.content_part.added', { item_id: id, output_index: place, content_index: content.length - 1, part: contentWire(last) })
      }
      last.text += text
      const where = { item_id: id, output_index: place, content_index: content.length - 1 }
      if (type === 'refusal') emit('response.refusal.delta', { ...where, delta: text })
      else emit('response.output_text.delta', { ...where, delta: text, logprobs: [] })
    },
    thought({ text, signature }) {
      const proof = signature === undefined ? undefined : readProof(signature)
      if (text === '' && proof === undefined) return
      endName()
      const isOpen = open?.kind === 'reasoning' && (proof === undefined || open.text !== '' || proof.id === open.id)
      const item = open?.kind === 'reasoning' && isOpen ? open : openReasoning(proof?.id)
      if (text !== '') {
        const where = { item_id: item.id, output_index: item.place, summary_index: 0 }
        if (item.text === '') emit('response.reasoning_summary_part.added', { ...where, part: { type: 'summary_text', text: '' } })
        item.text += text
        emit('response.reasoning_summary_text.delta', { ...where, delta: text })
      }
      if (proof?.encrypted !== undefined) item.encrypted = proof.encrypted
      // A proof behind its thought ends it; in front of it, it is only the name.
      if (proof !== undefined && (item.text !== '' || proof.encrypted !== undefined)) closeOpen('completed')
    },
    call(part) {
      const known = calls.get(part.index)
      const call = known ?? newCall()
      if (known === undefined) calls.set(part.index, call)
      if (naming?.call !== call) endName()
      call.callId ??= part.id
      if (call.place === -1) call.name = grownName(call.name, part.name, call.text !== '')
      if (call.status !== 'in_progress') return
      const wasWhole = call.extent.isOver
      call.extent.take(part.arguments)
      if (call.place === -1) {
        call.text += part.arguments
        if (call.name !== '') naming = { call, index: part.index }
        if (call.text !== '') endName()
      } else if (part.arguments !== '') {
        addArguments(call, part.arguments)
      }
      if (call.place !== -1 && call.extent.isOver && (known === undefined || !wasWhole)) whole.push(call)
    },
    close(status) {
      endName()
      closeOpen(status)
      for (const [index, call] of calls) {
        if (call.place === -1) openCall(call, index)
        if (call.status === 'in_progress') closeCall(call, status === 'completed' || call.extent.isOver ? 'completed' : status)
      }
      whole = []
    },
    wires: () => items.map(wireOf),
  }
}

function newCall(): Call {
  return { kind: 'function_call', place: -1, id: '', callId: undefined, name: '', text: '', extent: createJsonExtent(), status: 'in_progress' }
}

function wireOf(item: Message | Reasoning | Call): ItemWire {
  const { id } = item
  switch (item.kind) {
    case 'message': {
      return { id, type: 'message', status: item.status, role: 'assistant', content: item.content.map(contentWire) }
    }
    case 'reasoning': {
      const summary = item.text === '' ? [] : [{ type: 'summary_text' as const, text: item.text }]
      return { id, type: 'reasoning', summary, ...(item.encrypted === undefined ? undefined : { encrypted_content: item.encrypted }) }
    }
    case 'function_call': {
      const { status, text, callId = '', name } = item
      return { id, type: 'function_call', status, arguments: text, call_id: callId, name }
    }
  }
}

function contentWire({ type, text }: { readonly type: ContentWire['type']; readonly text: string }): ContentWire {
  return type === 'refusal' ? { type, refusal: text } : { type, annotations: [], logprobs: [], text }
}
