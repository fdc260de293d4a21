import type { ChatRequest, Failure } from '@understudy/core'
import { decodeFailure as decodeBedrockFailure } from '../bedrock/decode-failure.js'
import type { FailedAnswer, ProviderCodec } from '../dialect-codec.js'
import { UntranslatableRequestError } from '../untranslatable.js'
import { decodeFailure } from './decode-failure.js'
import { encodeRequest } from './encode-request.js'
import { anthropic } from './index.js'

/** Anthropic Messages as another cloud serves them: the version stands in the body, the model in the path. */
interface Host {
  readonly version: string
  /** Whether the body says that a stream is asked for, beside the path. */
  readonly saysStream: boolean
  /** Whether the body says what is tried out, in place of the header `anthropic-beta`. */
  readonly saysBetas: boolean
  readonly decodeFailure: (answer: FailedAnswer) => Failure
}

/** Anthropic Messages on Vertex AI. https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai */
export const anthropicOnVertex: ProviderCodec = hosted({
  version: 'vertex-2023-10-16',
  saysStream: true,
  saysBetas: false,
  decodeFailure,
})

/**
 * Anthropic Messages on Amazon Bedrock's InvokeModel, whose stream comes in frames: see `encodeFrame`.
 *
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
export const anthropicOnBedrock: ProviderCodec = hosted({
  version: 'bedrock-2023-05-31',
  saysStream: false,
  saysBetas: true,
  decodeFailure: decodeBedrockFailure,
})

function hosted(host: Host): ProviderCodec {
  const ownMembers = (streamed: boolean, { 'anthropic-beta': betas }: Readonly<Record<string, string>>): Record<string, unknown> => ({
    anthropic_version: host.version,
    ...(streamed && host.saysStream ? { stream: true } : undefined),
    ...(betas !== undefined && host.saysBetas ? { anthropic_beta: betas.split(',').map((beta) => beta.trim()) } : undefined),
  })
  return {
    ...anthropic,
    modelInPath: true,
    ownMembers,
    decodeFailure: host.decodeFailure,
    encodeRequest(request, model) {
      refuseUrls(request)
      const body = encodeRequest(request, model)
      delete body['model']
      delete body['stream']
      return { ...body, ...ownMembers(request.stream, {}) }
    },
  }
}

/** Neither cloud fetches anything. https://platform.claude.com/docs/en/build-with-claude/vision */
function refuseUrls({ messages, dialect }: ChatRequest): void {
  for (const { content } of messages) {
    for (const block of content) {
      if ((block.type !== 'image' && block.type !== 'file') || block.source.type !== 'url') continue
      throw new UntranslatableRequestError({ source: dialect, target: 'anthropic', feature: `${block.type}-url` })
    }
  }
}
