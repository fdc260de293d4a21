import type { InboundRequest } from './request.js'

/** Whoever waits for our answer to one request. It is gone when it left, and when the host has answered it without us. */
export interface Client {
  isGone(): boolean
  /** Calls the listener once, when the client is gone; at once if it is. */
  onGone(listener: () => void): void
}

/** A request that knows its client, so that its `signal`, which costs more than the whole watch, is made only for those who ask. */
export interface WatchedRequest extends InboundRequest {
  readonly client: Client
  /** This very request, also when a copy is asked. */
  readonly itself: () => InboundRequest
}

/** The client of a request as an adapter of ours made it. `undefined` for any other, and for a copy: there its `signal` rules. */
export function clientOf(request: InboundRequest | WatchedRequest): Client | undefined {
  return 'itself' in request && request.itself() === request ? request.client : undefined
}

/** The signal of a request, also of a copy that was spread from one of ours: there the getter stayed behind. */
export function signalOf(request: InboundRequest | WatchedRequest): AbortSignal {
  return 'itself' in request && !Reflect.has(request, 'signal') ? request.itself().signal : request.signal
}
