import type { IncomingMessage, ServerResponse } from 'node:http'

/** How a call was over. */
export interface CallEnd {
  /** Epoch ms. */
  readonly at: number
  /** Who ended it: `simulator` also when the answer was complete. */
  readonly by: 'client' | 'simulator'
  /** Whether the whole HTTP answer went out. */
  readonly complete: boolean
}

/** One request, as it was received. */
export interface ReceivedCall {
  /** The model that was asked for; undefined if the request names none. */
  readonly model: string | undefined
  /** The how-manieth call of this model it is, from 1. */
  readonly number: number
  /** The index of the step that it got; undefined if it was refused before (path, key, model). */
  readonly step: number | undefined
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name; repeated ones joined with a comma. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[]
  /** The parsed JSON body; undefined if it is empty or not JSON. */
  readonly body: unknown
  readonly rawBody: Buffer
  /** Whether the request asks for a stream. */
  readonly stream: boolean
  /** When its headers arrived, in epoch ms. */
  readonly at: number
  /** The number of the connection it came on, from 1: equal numbers mean the connection was kept. */
  readonly connection: number
  /** The status that was sent; undefined until then. */
  readonly status: number | undefined
  /** Bytes of the body that were sent so far, after compression. */
  readonly bytesSent: number
  /** Resolves when the answer is complete or the connection is gone. */
  readonly closed: Promise<CallEnd>
}

/** The simulator's side of a call. */
export interface OpenCall {
  readonly received: ReceivedCall
  /** Aborts when the call is over, for whatever reason. */
  readonly signal: AbortSignal
  /** Counts bytes of the body as sent. */
  addBytes(bytes: number): void
  /** Says that it is the simulator who ends the connection next. */
  endedByUs(): void
}

/** What a call is known by before it is answered. */
export type CallFacts = Pick<
  ReceivedCall,
  'model' | 'number' | 'step' | 'path' | 'query' | 'headers' | 'body' | 'rawBody' | 'stream' | 'at' | 'connection'
>

/** Watches a call until it is over. `isClosing` tells whether the simulator itself ends all connections. */
export function openCall(
  facts: CallFacts,
  request: IncomingMessage,
  response: ServerResponse,
  isClosing: () => boolean,
): OpenCall {
  const controller = new AbortController()
  let bytesSent = 0
  let by: CallEnd['by'] = 'client'
  // What goes wrong with a response ends it, and 'close' says so.
  response.on('error', () => undefined)
  const closed = new Promise<CallEnd>((resolve) => {
    response.once('close', () => {
      const complete = response.writableFinished
      resolve({ at: Date.now(), by: complete || isClosing() ? 'simulator' : by, complete })
      controller.abort()
    })
  })
  const received: ReceivedCall = {
    ...facts,
    method: request.method ?? 'GET',
    rawHeaders: request.rawHeaders,
    get status() {
      return response.headersSent ? response.statusCode : undefined
    },
    get bytesSent() {
      return bytesSent
    },
    closed,
  }
  return {
    received,
    signal: controller.signal,
    addBytes: (bytes) => {
      bytesSent += bytes
    },
    endedByUs: () => {
      by = 'simulator'
    },
  }
}
