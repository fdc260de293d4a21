import type { ResolvedProvider } from '@understudy/config'
import type { DialectCodec, ProviderCodec } from '@understudy/dialects'
import { anthropicOnBedrock, anthropicOnVertex, bedrock } from '@understudy/dialects'

/** The codec of a provider's legs: its dialect's, unless a cloud serves that in its own way or no client speaks it. */
export function legCodecOf(
  { dialect, cloud }: Pick<ResolvedProvider, 'dialect' | 'cloud'>,
  codecOf: (dialect: string) => DialectCodec,
): ProviderCodec {
  if (dialect === bedrock.name) return bedrock
  if (dialect !== 'anthropic' || cloud === undefined) return codecOf(dialect)
  return cloud.type === 'vertex' ? anthropicOnVertex : anthropicOnBedrock
}
