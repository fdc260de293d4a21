import type { Failure, StopSignal } from '@understudy/core'
import { failureOf, legFailed } from '@understudy/core'
import type { Dispatcher } from 'undici'
import type { ByteSource } from './byte-source.js'
import type { CancellableDispatchOptions } from './cancellable-client.js'
import { bodyToSend } from './sent-body.js'
import { transportFailure } from './transport-failure.js'

type Controller = Dispatcher.DispatchController
type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

/** The head of an answer. Names in lower case. */
export interface AnswerHead {
  readonly status: number
  readonly headers: RawHeaders
}

class ReceivedHead implements AnswerHead {
  readonly status: number
  readonly headers: RawHeaders

  constructor(status: number, headers: RawHeaders) {
    this.status = status
    this.headers = headers
  }
}

class PostOptions implements CancellableDispatchOptions {
  readonly method = 'POST'
  readonly origin: string
  readonly path: string
  readonly headers: string[]
  readonly body: NonNullable<CancellableDispatchOptions['body']>
  readonly onClient: CancellableDispatchOptions['onClient']

  constructor(
    origin: string,
    path: string,
    headers: string[],
    body: NonNullable<CancellableDispatchOptions['body']>,
    onClient: CancellableDispatchOptions['onClient'],
  ) {
    this.origin = origin
    this.path = path
    this.headers = headers
    this.body = body
    this.onClient = onClient
  }
}

/** More than this unread stops the socket. */
const HIGH_WATER_BYTES = 64 * 1024
/** How much and how long is read of what nobody wants, to keep the connection. */
const RELEASE_BYTES = 64 * 1024
const RELEASE_MS = 1_000

const ignore = (): void => undefined
/** Its `then` takes half of what `queueMicrotask` does, which makes an async resource for each call. */
const settled = Promise.resolve()

/**
 * One request and its answer on undici: the head, then the body as a `ByteSource`. A class, because its
 * methods are undici's handler and each is called for every request.
 *
 * Hot: `onResponseData` once a chunk, `take` once a read.
 */
export class Exchange implements Dispatcher.DispatchHandler, ByteSource {
  state: 'open' | 'ended' | 'failed' = 'open'
  failure: Failure | undefined

  readonly #signal: StopSignal
  readonly #connected: () => void
  #resolveHead: (head: AnswerHead) => void = ignore
  #rejectHead: (reason: unknown) => void = ignore
  #controller: Controller | undefined
  #cancelSocket: (() => void) | undefined
  #discarded: number | undefined
  #releaseTimer: NodeJS.Timeout | undefined

  #first: Buffer | undefined
  #more: Buffer[] | undefined
  #unread = 0
  #paused = false
  #reader: (() => void) | undefined
  #scheduled = false

  /**
   * `signal` ends the exchange at the socket, in whatever phase it is, connecting included. `connected` is called when the connection
   * is ready, just before the request is written.
   */
  constructor(signal: StopSignal, connected: () => void) {
    this.#signal = signal
    this.#connected = connected
  }

  /**
   * Sends the request, by POST. Resolves when the head has come; rejects with a `LegFailedError`, or with the reason of the signal. `headers`:
   * names and values in turn; undici keeps them. To be called once.
   */
  start(dispatcher: Dispatcher, origin: string, path: string, headers: string[], body: Buffer): Promise<AnswerHead> {
    // Not held here: an open stream would hold the head for as long as it lasts.
    return new Promise((resolve, reject) => {
      this.#resolveHead = resolve
      this.#rejectHead = reject
      this.#send(dispatcher, origin, path, headers, body)
    })
  }

  #send(dispatcher: Dispatcher, origin: string, path: string, headers: string[], body: Buffer): void {
    const signal = this.#signal
    if (signal.aborted) {
      this.#onAbort()
      return
    }
    signal.addEventListener('abort', this.#onAbort)
    try {
      const onClient = this.#setCancelSocket
      dispatcher.dispatch(new PostOptions(origin, path, headers, bodyToSend(body, headers), onClient), this)
    } catch (error) {
      this.#fail(transportFailure(error, 'no'))
    }
  }

  readonly #setCancelSocket = (cancel: () => void): void => {
    this.#cancelSocket = cancel
  }

  onRequestStart(controller: Controller): void {
    // Given up before undici began: it begins a moment after `dispatch` where the body is an iterable.
    if (this.state !== 'open') {
      controller.abort(new Error('the attempt is over'))
      return
    }
    this.#controller = controller
    this.#connected()
  }

  onResponseStart(controller: Controller, status: number, headers: RawHeaders): void {
    // undici keeps them for as long as the answer lasts, and with them the memory of the read that brought them.
    controller.rawHeaders = null
    if (status < 200) return
    this.#resolveHead(new ReceivedHead(status, headers))
    this.#resolveHead = ignore
    this.#rejectHead = ignore
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#discarded !== undefined) {
      this.#discarded += chunk.length
      if (this.#discarded > RELEASE_BYTES) this.cancel()
      return
    }
    if (this.state !== 'open') return
    if (this.#first === undefined) this.#first = chunk
    else if (this.#more === undefined) this.#more = [chunk]
    else this.#more.push(chunk)
    this.#unread += chunk.length
    if (this.#unread > HIGH_WATER_BYTES) {
      this.#paused = true
      controller.pause()
    }
    this.#schedule()
  }

  onResponseEnd(): void {
    if (this.state !== 'open') return
    this.#settle('ended', undefined)
  }

  onResponseError(_controller: Controller | undefined, error: Error): void {
    this.#fail(transportFailure(error, this.#controller === undefined ? 'no' : 'maybe'))
  }

  take(): Buffer | undefined {
    const first = this.#first
    if (first === undefined) return undefined
    const bytes = this.#more === undefined ? first : Buffer.concat([first, ...this.#more], this.#unread)
    this.#drop()
    if (this.#paused) {
      this.#paused = false
      this.#controller?.resume()
    }
    return bytes
  }

  onReady(callback: () => void): void {
    this.#reader = callback
    if (this.#first !== undefined || this.state !== 'open') this.#schedule()
  }

  release(): void {
    if (this.state !== 'open' || this.#discarded !== undefined) return
    this.#discarded = this.#unread
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#drop()
    this.#releaseTimer = setTimeout(() => this.cancel(), RELEASE_MS)
    this.#releaseTimer.unref()
    this.#paused = false
    this.#controller?.resume()
  }

  cancel(): void {
    this.#drop()
    if (this.state !== 'open') return
    this.#settle('failed', failureOf('aborted'))
    this.#cancelSocket?.()
  }

  readonly #onAbort = (): void => {
    this.#rejectHead(this.#signal.reason)
    this.cancel()
  }

  #fail(failure: Failure): void {
    if (this.state !== 'open') return
    this.#settle('failed', failure)
    this.#rejectHead(legFailed(failure))
  }

  #settle(state: 'ended' | 'failed', failure: Failure | undefined): void {
    this.state = state
    this.failure = failure
    this.#signal.removeEventListener('abort', this.#onAbort)
    clearTimeout(this.#releaseTimer)
    this.#schedule()
  }

  #drop(): void {
    this.#first = undefined
    this.#more = undefined
    this.#unread = 0
  }

  // A microtask runs when undici has handed over all that one read of the socket brought: the reader is woken once.
  #schedule(): void {
    if (this.#reader === undefined || this.#scheduled) return
    this.#scheduled = true
    void settled.then(this.#wake)
  }

  readonly #wake = (): void => {
    this.#scheduled = false
    const reader = this.#reader
    this.#reader = undefined
    reader?.()
  }
}
