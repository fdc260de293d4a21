import { versionOf } from '../anthropic/models.js'
import { isClaude } from './model-fields.js'

type Wire = Readonly<Record<string, unknown>>

/** Where a model takes points to cache up to: wherever there is a place for one, behind texts of the system and the user only, or nowhere. */
export type CachePlaces = 'all' | 'texts' | 'none'

/** Follows what it is a point of. */
export const CACHE_POINT: Wire = { cachePoint: { type: 'default' } }

/**
 * A request with a point is refused by a model that takes none, so that one that is not known to take them goes without.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
 */
export function cachePlacesOf(model: string): CachePlaces {
  if (isClaude(model)) return versionOf(model) >= 3_07 || /claude-3-5-haiku/i.test(model) ? 'all' : 'none'
  return /nova-(?:micro|lite|pro|premier)-v1/i.test(model) ? 'texts' : 'none'
}

/** Whether a point may stand right behind a block of a turn: not behind a document that the API itself turns into text. */
export function takesCachePoint(block: Wire, role: 'user' | 'assistant' | 'system', places: CachePlaces): boolean {
  if (places === 'none') return false
  if (places === 'texts') return 'text' in block && role !== 'assistant'
  const { document } = block
  return typeof document !== 'object' || document === null || ('format' in document && document.format === 'pdf')
}

/** The turns, without points behind the first thought: the API refuses those. */
export function withoutLatePoints<Turn extends { readonly content: readonly Wire[] }>(turns: readonly Turn[]): readonly Turn[] {
  let hasThought = false
  return turns.map((turn) => {
    const content = turn.content.filter((block) => {
      hasThought ||= 'reasoningContent' in block
      return !hasThought || !('cachePoint' in block)
    })
    return content.length === turn.content.length ? turn : { ...turn, content }
  })
}
