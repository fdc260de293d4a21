import type { Leg } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { UntranslatableRequestError } from '@understudy/dialects'
import type { BedrockEntry, ClientCall } from './client-call.js'
import type { LegParts } from './client-chain.js'

/** A client that takes commands, in a chain of requests: no command can be made of one, and the chain ends there. */
export function bedrockRefusal(entry: BedrockEntry, { dialect }: ClientCall, { onAttempt }: Pick<LegParts, 'onAttempt'>): Leg {
  return {
    provider: entry.provider,
    model: entry.model ?? '',
    open() {
      const error = new UntranslatableRequestError({ source: dialect.codec.name, target: 'bedrock', feature: 'bedrock.no_converse_command' })
      onAttempt({ entry, thrown: { error } })
      throw new LegFailedError(failureOf('refused', { code: 'untranslatable' }), { cause: error })
    },
  }
}
