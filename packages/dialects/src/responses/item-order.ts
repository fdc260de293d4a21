import { numberOf, textOf, type JsonObject } from '../read-json.js'

/** Follows the order of one stream's events: clients put a response together by it, and fail where something is told of that was not opened. */
export interface ItemOrder {
  /** Takes the next event. The events that have to go before it, if something may have been left out; empty if none. */
  take(event: JsonObject, hasSkipped: boolean): string
}

/** The parts of an item whose text may grow, and how they begin. */
const PARTS: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map([
  ['response.output_text.delta', { type: 'output_text', annotations: [], logprobs: [], text: '' }],
  ['response.refusal.delta', { type: 'refusal', refusal: '' }],
  ['response.reasoning_text.delta', { type: 'reasoning_text', text: '' }],
])

/** An opener that nothing is lost with is made anew. A call cannot be opened without its name. */
export function createItemOrder(): ItemOrder {
  let isCreated = false
  const items = new Set<number>()
  const parts = new Set<string>()

  return {
    take(event, hasSkipped) {
      const openers = [...created(event), ...item(event), ...part(event)]
      return hasSkipped ? openers.map((opener) => textOfEvent(opener, event)).join('') : ''
    },
  }

  function created({ type }: JsonObject): readonly Opener[] {
    if (isCreated) return []
    isCreated = true
    return type === 'response.created' ? [] : [{ type: 'response.created', response: UNKNOWN_RESPONSE }]
  }

  function item(event: JsonObject): readonly Opener[] {
    const place = numberOf(event.output_index)
    if (place === undefined || items.has(place)) return []
    items.add(place)
    if (event.type === 'response.output_item.added') return []
    return [{ type: 'response.output_item.added', output_index: place, item: event.item ?? openItem(event) }]
  }

  function part(event: JsonObject): readonly Opener[] {
    const place = numberOf(event.output_index)
    const index = numberOf(event.content_index)
    const key = `${place}.${index}`
    if (place === undefined || index === undefined || parts.has(key)) return []
    parts.add(key)
    const opening = PARTS.get(textOf(event.type) ?? '')
    const where = { item_id: event.item_id, output_index: place, content_index: index }
    return opening === undefined ? [] : [{ type: 'response.content_part.added', ...where, part: opening }]
  }
}

type Opener = { readonly type: string } & Readonly<Record<string, unknown>>

/** Counted as the event that it stands before. */
function textOfEvent({ type, ...members }: Opener, event: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: event.sequence_number, ...members })}\n\n`
}

function openItem({ type, item_id: id }: JsonObject): Readonly<Record<string, unknown>> {
  if (textOf(type)?.startsWith('response.reasoning') === true) return { id, type: 'reasoning', summary: [] }
  return { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
}

const UNKNOWN_RESPONSE = { id: 'resp', object: 'response', created_at: 0, status: 'in_progress', model: '', output: [], error: null, incomplete_details: null }
