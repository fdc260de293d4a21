import type { Arrival, Dialect, Part, ToolCallPart } from '@understudy/core'
import { failureOf } from '@understudy/core'

/** Dialects whose answers have no choices. */
const ONE_CHOICE: ReadonlySet<Dialect> = new Set(['anthropic', 'responses'])

/** More of a call without a name is no call. In characters. */
const MAX_HELD = 1024 * 1024

/**
 * Takes out of a leg's arrivals what a client of another dialect cannot be told, so that it does not count as an answer: output that is
 * neither text nor a call, and for clients of dialects with one answer every choice but the first. A call waits for its name; where none comes, the
 * answer is malformed. One for each answer that is encoded anew.
 */
export function createSayableParts(client: Dialect): (arrival: Arrival) => Arrival {
  const named = new Set<string>()
  const held = new Map<string, ToolCallPart>()
  let length = 0
  const hasOneChoice = ONE_CHOICE.has(client)

  function callOf(part: ToolCallPart): readonly Part[] {
    const key = `${part.choice ?? 0}/${part.index}`
    if (named.has(key)) return [part]
    const known = held.get(key)
    const call = known === undefined ? part : { ...part, id: known.id ?? part.id, arguments: known.arguments + part.arguments }
    if (call.name === undefined || call.name === '') {
      held.set(key, call)
      length += part.arguments.length
      return length > MAX_HELD ? [NAMELESS] : []
    }
    held.delete(key)
    named.add(key)
    return [call]
  }

  function sayable(part: Part): readonly Part[] {
    if (part.type === 'media') return []
    if (hasOneChoice && 'choice' in part && (part.choice ?? 0) > 0) return []
    if (part.type === 'tool-call') return callOf(part)
    return held.size > 0 && (part.type === 'finish' || part.type === 'end') ? [NAMELESS] : [part]
  }

  return (arrival) => {
    const { parts } = arrival
    const isSayable = held.size === 0 && parts.every(({ type }) => type !== 'media' && type !== 'tool-call')
    if (isSayable && (!hasOneChoice || parts.every((part) => !('choice' in part)))) return arrival
    const said = parts.flatMap(sayable)
    const failed = said.indexOf(NAMELESS)
    return { ...arrival, parts: failed === -1 ? said : said.slice(0, failed + 1) }
  }
}

const NAMELESS: Part = { type: 'error', failure: failureOf('malformed', { code: 'nameless_call' }) }
