import type { Arrival, Dialect, LegAnswer, StopSignal } from '@understudy/core'
import { failureOf, legFailed, LegFailedError } from '@understudy/core'
import type { ProviderCodec, StreamDecoder } from '@understudy/dialects'
import { createSayableParts } from '@understudy/dialects'
import type { AnswerFault } from '../drills/faulted-source.js'
import { faultedSource } from '../drills/faulted-source.js'
import type { AnswerForm } from './answer-form.js'
import { answerForm, isEventStream, isFramed } from './answer-form.js'
import type { ByteSource } from './byte-source.js'
import { decodeSource } from './decoded-source.js'
import { DocumentArrivals } from './document-arrivals.js'
import { EventArrivals } from './event-arrivals.js'
import type { AnswerHead } from './exchange.js'
import { readBody } from './read-body.js'
import { headerText, headerTexts, providerRequestId, visibleHeaders } from './response-headers.js'
import { SayableArrivals } from './sayable-arrivals.js'

/** What an answer is read with. */
export interface AnswerReader {
  readonly codec: ProviderCodec
  readonly signal: StopSignal
  /** Whether the client speaks the codec's dialect. */
  readonly sameDialect: boolean
  /** The dialect of the client. Default: it is told everything. */
  readonly client?: Dialect | undefined
  /** Whether the client reads a stream. */
  readonly streamed: boolean
  readonly wallClock: () => number
  /** What a drill does to the answer. Default nothing. */
  readonly fault?: AnswerFault | undefined
}

const AS_BYTES = { forward: 'bytes' } as const
const AS_PARTS = { forward: 'parts' } as const

/** More of a failed answer says nothing new; a smaller one is read to its end, so that its connection is kept. */
const MAX_ERROR_BYTES = 64 * 1024

/** Makes a leg's answer of a head and the body behind it. Throws a `LegFailedError` for one that is no answer. */
export async function readAnswer(answer: ByteSource, head: AnswerHead, reader: AnswerReader): Promise<LegAnswer> {
  const { status, headers } = head
  const body = decodeSource(answer, headerText(headers, 'content-encoding'))
  if (status > 299) {
    if (body === undefined) answer.release()
    throw await failedAnswer(body, head, reader)
  }
  try {
    if (body === undefined) throw new LegFailedError(failureOf('malformed', { code: 'unsupported_encoding' }))
    const type = headerText(headers, 'content-type')
    const { fault, signal } = reader
    const met = fault === undefined ? body : faultedSource(body, fault, isEventStream(type), signal)
    // Whoever asks no cloud has no use for it.
    const source = isFramed(type) ? (await import('./frame-source.js')).createFrameSource(met) : met
    const form = answerForm(type, source, reader.signal)
    return answerOf(source, form instanceof Promise ? await form : form, head, reader)
  } catch (error) {
    answer.cancel()
    throw error
  }
}

function answerOf(body: ByteSource, { form, unread }: AnswerForm, head: AnswerHead, reader: AnswerReader): LegAnswer {
  const { codec, signal, sameDialect, streamed } = reader
  const headers = visibleHeaders(head.headers)
  const requestId = providerRequestId(head.headers)
  if (form === 'json') {
    const arrivals = sayable(new DocumentArrivals(body, head.status, unread, reader), reader)
    return new HttpAnswer('json', arrivals, headers, requestId, undefined)
  }
  const forwarded = sameDialect && streamed
  const decoder = codec.createStreamDecoder(forwarded ? AS_BYTES : AS_PARTS)
  const arrivals = sayable(new EventArrivals(body, decoder, signal, unread), reader)
  return new HttpAnswer(forwarded ? 'events' : 'none', arrivals, headers, requestId, decoder)
}

class HttpAnswer implements LegAnswer {
  readonly form: LegAnswer['form']
  readonly arrivals: LegAnswer['arrivals']
  readonly headers: LegAnswer['headers']
  readonly providerRequestId: string | undefined
  readonly #decoder: StreamDecoder | undefined

  constructor(
    form: LegAnswer['form'],
    arrivals: LegAnswer['arrivals'],
    headers: LegAnswer['headers'],
    providerRequestId: string | undefined,
    decoder: StreamDecoder | undefined,
  ) {
    this.form = form
    this.arrivals = arrivals
    this.headers = headers
    this.providerRequestId = providerRequestId
    this.#decoder = decoder
  }

  readonly onCommit = (): void => this.#decoder?.committed()
}

/** What a client of another dialect can be told of an answer. */
function sayable(
  arrivals: AsyncIterableIterator<Arrival, undefined, undefined>,
  { sameDialect, client }: AnswerReader,
): AsyncIterable<Arrival> {
  if (sameDialect || client === undefined) return arrivals
  return new SayableArrivals(arrivals, createSayableParts(client))
}

/** What to throw for an answer outside 2xx. Reads no more of its body than tells something. */
export async function failedAnswer(
  body: ByteSource | undefined,
  head: AnswerHead,
  reader: Pick<AnswerReader, 'codec' | 'signal' | 'wallClock'>,
): Promise<LegFailedError> {
  const reading = body === undefined ? undefined : readBody(body, MAX_ERROR_BYTES, reader.signal)
  const read = reading instanceof Promise ? await reading : reading
  const failure = reader.codec.decodeFailure({
    status: head.status,
    headers: headerTexts(head.headers),
    body: read?.bytes.toString() ?? '',
    now: reader.wallClock(),
  })
  return legFailed(failure)
}
