import { isObject, listOf, textOf, type JsonObject } from '../read-json.js'
import { MADE_UP_REASONING } from './wire.js'

/** The input of a body that sends thoughts back which another dialect's leg had: without them, since the service cannot know them. */
export function mendedMembers({ input }: JsonObject): JsonObject | undefined {
  const items = listOf(input)
  const kept = items.filter((item) => !isMadeUp(item))
  return kept.length === items.length ? undefined : { input: kept }
}

function isMadeUp(item: unknown): boolean {
  return isObject(item) && item.type === 'reasoning' && textOf(item.id)?.startsWith(`${MADE_UP_REASONING}_`) === true
}
