import { ConfigError, credentialName, type ResolvedEmbeddingLeg } from '@understudy/config'
import type { Arrival, ChatRequest, LegAnswer, LegContext, Part, StopSignal } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { embeddingCodecOf } from '@understudy/dialects'
import type { EmbeddingAnswer, EmbeddingCodec, ProviderCodec } from '@understudy/dialects'

import { orInternalFault } from '../internal-fault.js'
import type { ProviderAgents } from './agents.js'
import { credentialHeader } from './credentials.js'
import { decodeSource } from './decoded-source.js'
import { embeddingOf, type EmbeddingTask } from './embedding-ask.js'
import { embeddingDocument, isWrittenFor, lengthOf, usageOf } from './embedding-document.js'
import { embeddingEndpointOf } from './endpoint.js'
import { Exchange, type AnswerHead } from './exchange.js'
import { cloudSignerOf, type WritableLeg } from './http-leg.js'
import { failedAnswer } from './read-answer.js'
import { readBody } from './read-body.js'
import { requestHeaders, withHeaders } from './request-headers.js'
import { headerText, headerTexts, providerRequestId, visibleHeaders } from './response-headers.js'
import { signatureHeaders } from './signature.js'

/** What a leg of embeddings is made of. */
export interface EmbeddingLegOptions {
  readonly leg: ResolvedEmbeddingLeg
  /** Of the provider's dialect, for its failures. */
  readonly codec: ProviderCodec
  readonly agents: ProviderAgents
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number
}

/** As many vectors as a request may ask for, of the longest there are. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/**
 * A leg that makes vectors. A list that is longer than the provider takes is asked in pieces, one after the other; all of them are one
 * attempt, so that no answer mixes two legs. Throws a `ConfigError` for a model that cannot be asked at all.
 */
export function createEmbeddingLeg({ leg, codec, agents, wallClock }: EmbeddingLegOptions): WritableLeg {
  const { provider, model, region, defaults, limits, retries, price, weight } = leg
  const embeddings = codecFor(leg)
  const { origin, path } = orConfigError(leg.path, () => embeddingEndpointOf(provider, model, region))
  const dispatcher = agents.dispatcherOf(provider.name)
  const withoutKey = requestHeaders(provider).document
  const withKey = requestHeaders(provider, credentialName(provider)).document
  const batchSize = leg.batchSize ?? embeddings.batchSize(model)
  const asksDimensions = leg.asksDimensions && embeddings.takesDimensions(model)
  const signCloud = cloudSignerOf(provider, region, wallClock, agents)
  const { sign } = provider

  function asksOf({ inputs, dimensions, parameters }: EmbeddingTask) {
    const all = { ...defaults, ...parameters }
    return Array.from({ length: Math.ceil(inputs.length / batchSize) }, (_each, index) => ({
      inputs: inputs.slice(index * batchSize, (index + 1) * batchSize),
      dimensions: asksDimensions ? dimensions : undefined,
      parameters: all,
    }))
  }

  function bodiesOf(request: ChatRequest): readonly Buffer[] {
    return asksOf(embeddingOf(request)).map((ask) => Buffer.from(JSON.stringify(embeddings.encode(ask, model))))
  }

  async function open(request: ChatRequest, { signal: abort, stopSignal, onConnect }: LegContext): Promise<LegAnswer> {
    const signal = stopSignal ?? abort
    const task = embeddingOf(request)
    const answers: EmbeddingAnswer[] = []
    let last: { readonly head: AnswerHead; readonly bytes: Buffer } | undefined
    for (const body of orInternalFault(() => bodiesOf(request))) {
      last = await call(body, signal, onConnect)
      answers.push(read(last, answers.length, task))
    }
    const { headers = {} } = last?.head ?? {}
    // What the client's own dialect says goes through as it came.
    const isOwn = embeddings.dialect === 'openai' && answers.length === 1 && answers.every((answer) => isWrittenFor(answer, task))
    const bytes = isOwn && last !== undefined ? last.bytes : embeddingDocument(answers, task, model)
    const usage = usageOf(answers)
    const parts: readonly Part[] = [
      { type: 'media' },
      ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
      { type: 'finish', reason: 'stop' },
      { type: 'end' },
    ]
    return {
      form: 'json',
      arrivals: oneArrival({ parts, bytes, events: 1 }),
      headers: visibleHeaders(headers),
      providerRequestId: providerRequestId(headers),
    }
  }

  async function call(body: Buffer, signal: StopSignal, onConnect: () => void) {
    const asked = credentialHeader(provider, signal)
    const credential = asked instanceof Promise ? await asked : asked
    const own = [...(credential.length === 0 ? withoutKey : withKey), ...credential]
    const ofHost = sign === undefined ? own : withHeaders(own, await signatureHeaders(sign, body, signal))
    const headers = [...(signCloud === undefined ? ofHost : withHeaders(ofHost, await signCloud.sign({ origin, path }, body, signal)))]
    const exchange = new Exchange(signal, onConnect)
    const head = await exchange.start(dispatcher, origin, path, headers, body)
    signCloud?.answered(head)
    const source = decodeSource(exchange, headerText(head.headers, 'content-encoding'))
    if (head.status > 299) {
      if (source === undefined) exchange.release()
      throw await failedAnswer(source, head, { codec, signal, wallClock })
    }
    if (source === undefined) {
      exchange.cancel()
      throw malformed('unsupported_encoding')
    }
    const { bytes, whole } = await readBody(source, MAX_ANSWER_BYTES, signal)
    if (!whole) throw new LegFailedError(source.failure ?? failureOf('malformed', { code: 'answer_too_large' }))
    return { head, bytes }
  }

  /** Every vector has to be there, and of the length that the route promises. */
  function read({ head, bytes }: { readonly head: AnswerHead; readonly bytes: Buffer }, piece: number, task: EmbeddingTask): EmbeddingAnswer {
    const answer = decoded(bytes, head)
    const expected = Math.min(batchSize, task.inputs.length - piece * batchSize)
    if (answer.vectors.length !== expected) throw malformed('vectors_missing')
    if (answer.vectors.some((vector) => lengthOf(vector) !== task.dimensions)) throw malformed('dimensions')
    return answer
  }

  function decoded(bytes: Buffer, { status, headers }: AnswerHead): EmbeddingAnswer {
    const answer = embeddings.decode(parsed(bytes), headerTexts(headers))
    if (answer !== undefined) return answer
    // An error inside a 200 says what it is.
    const [said] = codec.decodeResponse(bytes, { status }).parts.filter((part) => part.type === 'error')
    throw said === undefined ? malformed('no_embeddings') : new LegFailedError(said.failure)
  }

  return {
    provider: provider.name,
    model,
    region,
    limits,
    retries,
    price,
    weight,
    wholeAnswers: true,
    untranslatable: (request) => {
      const { inputs, dimensions, parameters } = embeddingOf(request)
      return embeddings.unsayable({ inputs, dimensions, parameters: { ...defaults, ...parameters } })
    },
    open,
    // Where a list is asked in pieces, all of them, one a line.
    bytesOf: (request) => Buffer.from(bodiesOf(request).map(String).join('\n')),
  }
}

function codecFor({ provider, model, path }: ResolvedEmbeddingLeg): EmbeddingCodec {
  const codec = embeddingCodecOf(provider.dialect, provider.cloud?.type, model)
  if (codec !== undefined) return codec
  const message = `no embeddings of the model '${model}' are known at provider '${provider.name}'; `
    + 'those of amazon.titan-embed-text and cohere.embed are'
  throw new ConfigError([{ path, message }])
}

function orConfigError<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw error instanceof Error ? new ConfigError([{ path, message: error.message }]) : error
  }
}

function malformed(code: string): LegFailedError {
  return new LegFailedError(failureOf('malformed', { code, processed: 'yes' }))
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

async function* oneArrival(arrival: Arrival): AsyncGenerator<Arrival, undefined> {
  yield await Promise.resolve(arrival)
}
