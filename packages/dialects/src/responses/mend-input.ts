import { isObject, listOf, type JsonObject } from '../read-json.js'
import { isMadeUpId } from './wire.js'

/**
 * The input of a body that sends back what an answer of another dialect's leg had made up: without its thoughts and without what refers to
 * them, since the service cannot know them, and without the ids of its other items, which stand there whole. Hot: an input without any is
 * looked at and not copied.
 */
export function mendedMembers({ input }: JsonObject): JsonObject | undefined {
  const items = listOf(input)
  if (!items.some(hasMadeUpId)) return undefined
  return { input: items.filter((item) => !isMadeUpThought(item)).map(withoutMadeUpId) }
}

/**
 * What a body goes on from that no service has, by its structural name: an item or an answer that was made up, and of which the body
 * says only the id.
 */
export function unknownState({ input, previous_response_id: previous }: JsonObject): string | undefined {
  if (isMadeUpId(previous)) return 'previous_response_id'
  return listOf(input).some((item) => isReference(item) && hasMadeUpId(item) && !isMadeUpThought(item)) ? 'item_reference' : undefined
}

/** A thought that no provider takes, or what refers to one: an answer without it says the same. */
export function isMadeUpThought(item: unknown): boolean {
  if (!isObject(item) || !hasMadeUpId(item)) return false
  return item.type === 'reasoning' || (isReference(item) && String(item.id).startsWith('rs_'))
}

function withoutMadeUpId(item: unknown): unknown {
  if (!isObject(item) || isReference(item) || !hasMadeUpId(item)) return item
  return Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'id'))
}

/** Whether an item is no more than the id of another; its type may be left out. https://platform.openai.com/docs/api-reference/responses/create */
export function isReference(item: unknown): boolean {
  if (!isObject(item)) return false
  return item.type === 'item_reference' || ((item.type ?? undefined) === undefined && item.role === undefined && typeof item.id === 'string')
}

function hasMadeUpId(item: unknown): boolean {
  return isObject(item) && isMadeUpId(item.id)
}
