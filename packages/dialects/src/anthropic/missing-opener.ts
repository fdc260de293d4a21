import { isObject, numberOf, objectOf } from '../read-json.js'
import { usageWire } from './encode-response.js'
import { eventText } from './event-text.js'

/** Follows what the events of one stream open, and writes what is missing where an event that opens something could not be read. */
export interface Openers {
  /** Takes an event that is passed on; gives the events that have to go before it, if any. */
  before(event: unknown): string | undefined
  /** Takes an event that needs nothing in front. */
  take(event: unknown): void
}

/** Clients count on a message that starts and on blocks that start before they grow. A call cannot be opened without its name. */
export function createOpeners(): Openers {
  const opened = new Set<number>()
  let isStarted = false

  function take(event: unknown): void {
    if (!isObject(event)) return
    if (event.type === 'message_start') isStarted = true
    if (event.type === 'content_block_start') opened.add(numberOf(event.index) ?? 0)
  }

  return {
    take,
    before(event) {
      if (!isObject(event)) return undefined
      let text = ''
      const { type } = event
      if (!isStarted && (type === 'message_delta' || String(type).startsWith('content_block_'))) {
        isStarted = true
        text += eventText({ type: 'message_start', message: UNKNOWN_MESSAGE })
      }
      const index = numberOf(event.index) ?? 0
      const block = type === 'content_block_delta' && !opened.has(index) ? blockOf(objectOf(event.delta)?.type) : undefined
      if (block !== undefined) {
        opened.add(index)
        text += eventText({ type: 'content_block_start', index, content_block: block })
      }
      take(event)
      return text === '' ? undefined : text
    },
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
