import type { Arrival, Dialect, LegAnswer, StopSignal } from '@understudy/core'
import { failureOf, legFailed, LegFailedError } from '@understudy/core'
import type { ProviderCodec, StreamDecoder } from '@understudy/dialects'
import { createSayableParts } from '@understudy/dialects'
import type { AnswerFault } from '../drills/faulted-source.js'
import { faultedSource } from '../drills/faulted-source.js'
import type { AnswerForm } from './answer-form.js'
import { declaredForm, isEventStream, isFramed, seenForm } from './answer-form.js'
import type { ByteSource } from './byte-source.js'
import { decodeSource } from './decoded-source.js'
import { DocumentArrivals } from './document-arrivals.js'
import { EventArrivals } from './event-arrivals.js'
import type { AnswerHead } from './exchange.js'
import type { ReadBody } from './read-body.js'
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

/**
 * Makes a leg's answer of a head and the body behind it. Throws, or rejects with, a `LegFailedError` for one that is no answer. No promise for
 * what nothing has to be waited for: nearly every answer.
 */
export function readAnswer(answer: ByteSource, head: AnswerHead, reader: AnswerReader): LegAnswer | Promise<LegAnswer> {
  const { status, headers } = head
  const body = decodeSource(answer, headerText(headers, 'content-encoding'))
  if (status > 299) {
    if (body === undefined) answer.release()
    const failed = failedAnswer(body, head, reader)
    if (failed instanceof Promise) return failed.then((error) => Promise.reject(error))
    throw failed
  }
  try {
    if (body === undefined) throw new LegFailedError(failureOf('malformed', { code: 'unsupported_encoding' }))
    const type = headerText(headers, 'content-type')
    const { fault, signal } = reader
    const met = fault === undefined ? body : faultedSource(body, fault, isEventStream(type), signal)
    const form = declaredForm(type)
    if (form !== undefined && !isFramed(type)) return answerOf(met, form, head, reader)
    return readLater(met, form, head, reader).catch((error: unknown) => {
      answer.cancel()
      throw error
    })
  } catch (error) {
    answer.cancel()
    throw error
  }
}

/** The same for an answer in frames, and for one that does not say what it is. */
async function readLater(source: ByteSource, form: AnswerForm | undefined, head: AnswerHead, reader: AnswerReader): Promise<LegAnswer> {
  if (form === undefined) return answerOf(source, await seenForm(source, reader.signal), head, reader)
  // Whoever asks no cloud has no use for it.
  const { createFrameSource } = await import('./frame-source.js')
  return answerOf(createFrameSource(source), form, head, reader)
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

/** What to throw for an answer outside 2xx. Reads no more of its body than tells something. No promise where that is there already. */
export function failedAnswer(
  body: ByteSource | undefined,
  head: AnswerHead,
  reader: Pick<AnswerReader, 'codec' | 'signal' | 'wallClock'>,
): LegFailedError | Promise<LegFailedError> {
  const read = body === undefined ? undefined : readBody(body, MAX_ERROR_BYTES, reader.signal)
  return read instanceof Promise ? read.then((whole) => failureIn(whole, head, reader)) : failureIn(read, head, reader)
}

function failureIn(
  read: ReadBody | undefined,
  { status, headers }: AnswerHead,
  { codec, wallClock }: Pick<AnswerReader, 'codec' | 'wallClock'>,
): LegFailedError {
  return legFailed(codec.decodeFailure({ status, headers: headerTexts(headers), body: read?.bytes.toString() ?? '', now: wallClock() }))
}
