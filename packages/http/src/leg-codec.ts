import type { ResolvedProvider } from '@understudy/config'
import type { DialectCodec, ProviderCodec } from '@understudy/dialects'
import { anthropicOnBedrock, anthropicOnVertex, bedrock } from '@understudy/dialects'

/** Whether a client can send back the proofs of thoughts in an answer of a leg that speaks `dialect`, so that it is told them. */
export function keepsProofs(dialect: string | undefined, model: string, client: DialectCodec): boolean {
  return dialect === client.name || (dialect === bedrock.name && bedrock.proofsOf?.(model) === client.name)
}

/** The codec of a provider's legs: its dialect's, unless a cloud serves that in its own way or no client speaks it. */
export function legCodecOf(
  { dialect, cloud }: Pick<ResolvedProvider, 'dialect' | 'cloud'>,
  codecOf: (dialect: string) => DialectCodec,
): ProviderCodec {
  if (dialect === bedrock.name) return bedrock
  if (dialect !== 'anthropic' || cloud === undefined) return codecOf(dialect)
  return cloud.type === 'vertex' ? anthropicOnVertex : anthropicOnBedrock
}
