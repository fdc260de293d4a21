import { isObject, numberOf, objectOf, textOf } from '../read-json.js'
import { usageWire } from './encode-response.js'
import { eventText } from './event-text.js'

/** Follows the order of one stream's events: clients put an answer together by it, and lose text without a word where it is broken. */
export interface BlockOrder {
  /** Takes the next event. `false`: no client can put together what it says. */
  take(event: unknown): boolean
  /** The events that have to go before the one just taken, so that clients can read it; empty if none. */
  readonly missing: string
}

/**
 * Clients count on a message that starts once, and on blocks that follow one another, each with the next index. An opener that nothing
 * is lost with is made anew, and so is the end of a block. A call cannot be opened without its name.
 */
export function createBlockOrder(): BlockOrder {
  let isStarted = false
  let next = 0
  let open: number | undefined
  /** Blocks whose end was made up: what belongs to them after that comes too late. */
  const cut = new Set<number>()

  const order = {
    missing: '',
    take(event: unknown): boolean {
      order.missing = ''
      if (!isObject(event)) return true
      const { type } = event
      if (type === 'message_start') return startMessage()
      if (type === 'message_delta') {
        openMessage()
        if (textOf(objectOf(event.delta)?.stop_reason) !== undefined) cutOpen()
        return true
      }
      const index = numberOf(event.index)
      if (type === 'content_block_start') return startBlock(index ?? next)
      if (type === 'content_block_delta') return growBlock(index ?? open ?? next, objectOf(event.delta)?.type)
      return type !== 'content_block_stop' || stopBlock(index ?? open ?? next)
    },
  }
  return order

  function startMessage(): boolean {
    const isFirst = !isStarted
    isStarted = true
    return isFirst
  }

  function openMessage(): void {
    if (startMessage()) order.missing += eventText({ type: 'message_start', message: UNKNOWN_MESSAGE })
  }

  function startBlock(index: number): boolean {
    openMessage()
    if (index !== next) return false
    cutOpen()
    open = next++
    return true
  }

  function growBlock(index: number, delta: unknown): boolean {
    openMessage()
    if (index < next) return !cut.has(index)
    const block = blockOf(delta)
    if (block === undefined || !startBlock(index)) return false
    order.missing += eventText({ type: 'content_block_start', index, content_block: block })
    return true
  }

  function stopBlock(index: number): boolean {
    openMessage()
    if (index >= next) return growBlock(index, 'text_delta') && stopBlock(index)
    if (index === open) open = undefined
    return !cut.has(index)
  }

  function cutOpen(): void {
    if (open === undefined) return
    order.missing += eventText({ type: 'content_block_stop', index: open })
    cut.add(open)
    open = undefined
  }
}

const UNKNOWN_MESSAGE = {
  id: 'msg',
  type: 'message',
  role: 'assistant',
  model: '',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: usageWire({}),
}

function blockOf(delta: unknown): Readonly<Record<string, string>> | undefined {
  if (delta === 'text_delta') return { type: 'text', text: '' }
  return delta === 'thinking_delta' ? { type: 'thinking', thinking: '', signature: '' } : undefined
}
