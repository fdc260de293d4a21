import type { ContentBlock } from '@understudy/core'
import type { JsonObject } from './read-json.js'
import { sanitiseName } from './sanitise-name.js'

/** What only its own dialect can say, as it came. `feature`: its name, which may be the client's own. */
export function otherBlock(value: JsonObject, feature: string): ContentBlock {
  return { type: 'other', feature: sanitiseName(feature), value }
}
