import { credentialName, hasPathName, modelInPath } from '@understudy/config'
import type { BufferedVia, ResolvedProvider, Translate } from '@understudy/config'
import type { ChatRequest, Dialect, Leg, LegAnswer, LegContext, LegLimits, StopSignal } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import type { ProviderCodec } from '@understudy/dialects'
import { faultOf } from '../drills/faulted-source.js'
import { orInternalFault } from '../internal-fault.js'
import type { ProviderAgents } from './agents.js'
import { createCloudSigner, type CloudSigner } from './cloud-signer.js'
import { credentialHeader } from './credentials.js'
import type { Endpoint } from './endpoint.js'
import { endpointOf } from './endpoint.js'
import { Exchange } from './exchange.js'
import type { AnswerReader } from './read-answer.js'
import { readAnswer } from './read-answer.js'
import type { Translation } from './request-body.js'
import { bodyWriter, isSameDialect, translate } from './request-body.js'
import { requestHeaders, withHeaders } from './request-headers.js'
import { inOwnMemory } from './sent-body.js'
import { signatureHeaders } from './signature.js'
import { passedHeadersOf } from './wire-request.js'

/** What a leg over HTTP is made of. */
export interface HttpLegOptions {
  readonly provider: ResolvedProvider
  /** Of the provider's dialect. */
  readonly codec: ProviderCodec
  /** What the provider is asked for. With `anyModel` only the leg's name. */
  readonly model: string
  /** Keeps the request's own model. Default false. */
  readonly anyModel?: boolean | undefined
  /** Where the provider serves the model. Default none. */
  readonly region?: string | undefined
  /** Parameters under the request's, in the client's dialect. Default none. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined
  /** Fills the defaults into the neutral reading of a request of another dialect. Default: they count for nothing there. */
  readonly fill?: ((request: ChatRequest) => ChatRequest) | undefined
  readonly agents: ProviderAgents
  /** How a buffered request is asked: as one JSON document, or as a stream that the core collects. */
  readonly bufferedVia: BufferedVia
  /** How much of a request of another dialect is said. Default `full`. */
  readonly translate?: Translate | undefined
  readonly limits?: LegLimits | undefined
  readonly reasoning?: boolean | undefined
  readonly retries?: number | undefined
  readonly price?: number | undefined
  readonly weight?: number | undefined
  /** Milliseconds since the epoch, to turn a date in Retry-After into a wait. Default `Date.now`. */
  readonly wallClock?: (() => number) | undefined
}

/** A leg that can say what it would send. */
export interface WritableLeg extends Leg {
  /** Keeps the request's own model. Default false. */
  readonly anyModel?: boolean | undefined
  /** Exactly the bytes that the next attempt for this request is sent as. */
  readonly bytesOf: (request: ChatRequest) => Uint8Array
}

/** A leg that asks a provider over HTTP. Throws if the provider cannot be asked at all, which stops a mount. */
export function createHttpLeg(options: HttpLegOptions): WritableLeg {
  const { provider, codec, model, anyModel = false, agents, bufferedVia, wallClock = Date.now } = options
  const dispatcher = agents.dispatcherOf(provider.name)
  const { region } = options
  const endpoints = { stream: endpointOf(provider, model, true, region), document: endpointOf(provider, model, false, region) }
  const endpointOfEach = anyModel && modelInPath(provider)
  const withoutKey = requestHeaders(provider)
  const withKey = requestHeaders(provider, credentialName(provider))
  const { defaults = {}, fill } = options
  const body = { codec, model: anyModel ? undefined : model, defaults, fill, isMinimal: options.translate === 'minimal' }
  const writeBody = bodyWriter(body)
  const streamsAlways = bufferedVia === 'stream'
  const asksForChoices = choicesIn(defaults) > 1
  const { sign } = provider
  const signCloud = cloudSignerOf(provider, region, wallClock, agents)
  // What the host was shown is what is sent.
  const shown = new WeakMap<ChatRequest, Buffer>()
  const translations = new WeakMap<ChatRequest, Translation>()

  function choicesIn(parameters: Readonly<Record<string, unknown>>): number {
    return codec.outlineRequest?.(parameters).choices ?? 1
  }

  function bytesOf(request: ChatRequest): Buffer {
    const bytes = writeBody(request, request.stream || streamsAlways, translations.get(request))
    shown.set(request, bytes)
    return bytes
  }

  /** Asked more than once of a request: also while a leg before this one is tried. */
  function untranslatable(request: ChatRequest): string | undefined {
    if (endpointOfEach && !hasPathName(request.model ?? '')) return 'model'
    if (codec.unknownState === undefined && isSameDialect(request, codec)) return undefined
    const known = translations.get(request)
    if (known !== undefined) return known.unsayable
    const translation = translate(request, request.stream || streamsAlways, body)
    translations.set(request, translation)
    return translation.unsayable
  }

  function placeOf(request: ChatRequest, streamed: boolean): Endpoint {
    if (!endpointOfEach) return streamed ? endpoints.stream : endpoints.document
    const asked = request.model ?? ''
    if (!hasPathName(asked)) throw new LegFailedError(failureOf('not_found', { code: 'model_in_path' }))
    return endpointOf(provider, asked, streamed, region)
  }

  async function open(request: ChatRequest, context: LegContext): Promise<LegAnswer> {
    const signal = context.stopSignal ?? context.signal
    const streamed = request.stream || streamsAlways
    const sameDialect = isSameDialect(request, codec)
    const asked = credentialHeader(provider, signal)
    const credential = asked instanceof Promise ? await asked : asked
    const base = credential.length === 0 ? withoutKey : withKey
    // The host's own code has answered before it, and is asked behind it: nothing but ours can throw here.
    const { place, bytes, own } = orInternalFault(() => {
      const passed = sameDialect ? passedHeadersOf(request, provider.cloud?.type) : []
      const own = withHeaders(streamed ? base.stream : base.document, passed).concat(credential)
      return { place: placeOf(request, streamed), bytes: shown.get(request) ?? writeBody(request, streamed, translations.get(request)), own }
    })
    const { origin, path } = place

    const exchange = new Exchange(signal, context.onConnect)
    const ofHost = sign === undefined ? own : withHeaders(own, await signatureHeaders(sign, bytes, signal))
    const headers = signCloud === undefined ? ofHost : withHeaders(ofHost, await signCloud.sign({ origin, path }, bytes, signal))
    const head = await exchange.start(dispatcher, origin, path, headers.slice(), streamed ? inOwnMemory(bytes) : bytes)
    signCloud?.answered(head)
    const reader = new LegReader(codec, signal, sameDialect, request.dialect, request.stream, wallClock, faultOf(context))
    const reading = readAnswer(exchange, head, reader)
    const answer = reading instanceof Promise ? await reading : reading
    return asksForChoices ? { ...answer, choices: choicesIn({ ...defaults, ...request.body }) } : answer
  }

  return {
    provider: provider.name,
    model,
    anyModel,
    region,
    limits: options.limits,
    reasoning: options.reasoning,
    retries: options.retries,
    price: options.price,
    weight: options.weight,
    wholeAnswers: !streamsAlways,
    untranslatable,
    open,
    bytesOf,
  }
}

class LegReader implements AnswerReader {
  readonly codec: ProviderCodec
  readonly signal: StopSignal
  readonly sameDialect: boolean
  readonly client: Dialect | undefined
  readonly streamed: boolean
  readonly wallClock: () => number
  readonly fault: AnswerReader['fault']

  constructor(
    codec: ProviderCodec,
    signal: StopSignal,
    sameDialect: boolean,
    client: Dialect | undefined,
    streamed: boolean,
    wallClock: () => number,
    fault: AnswerReader['fault'],
  ) {
    this.codec = codec
    this.signal = signal
    this.sameDialect = sameDialect
    this.client = client
    this.streamed = streamed
    this.wallClock = wallClock
    this.fault = fault
  }
}

/** What signs a leg's requests, where its cloud wants that. */
export function cloudSignerOf(
  { name, cloud }: ResolvedProvider,
  region: string | undefined,
  wallClock: () => number,
  agents: ProviderAgents,
): CloudSigner | undefined {
  if (cloud?.type !== 'bedrock' || cloud.credentials === undefined) return undefined
  return createCloudSigner(cloud.credentials, region ?? cloud.region ?? '', wallClock, agents.skewOf(name))
}
