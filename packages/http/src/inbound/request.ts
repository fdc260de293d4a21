/** Header names are lower-case; a header that came several times is an array, as node:http gives it. */
export type InboundHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * The body of a request: as bytes that we read ourselves, as what a host's parser made of them, or as the reason why there is
 * none. `Buffer`s and strings that a host parsed count as bytes.
 */
export type InboundBody =
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'parsed'; readonly value: unknown }
  /** The bytes are over the limit. Nothing of them was kept. */
  | { readonly type: 'too_large'; readonly limit: number }
  /** Something read the stream before us and left nothing behind. */
  | { readonly type: 'consumed' }
  /** The stream broke, or its `content-encoding` is not one we read or does not hold what it says. */
  | { readonly type: 'unreadable'; readonly reason: 'aborted' | 'encoding' | 'unsupported_encoding' }

/** What an adapter hands to `Fallback.handle`: the one neutral request between us and any framework. */
export interface InboundRequest {
  readonly method: string
  /** Path relative to where we are mounted, undecoded, without the query. Starts with `/`. */
  readonly path: string
  /** What followed the `?`, undecoded; empty if nothing. */
  readonly query: string
  readonly headers: InboundHeaders
  /** Whether we are mounted at the root of the host, where its own `/` and `/messages` stay its own. */
  readonly atRoot: boolean
  /** Reads the body, once. Never rejects: what is wrong with a body is one of its forms. */
  readonly readBody: (maxBytes: number) => Promise<InboundBody>
  /**
   * Aborted when nobody waits for our answer any more: the client left before it was written, or the host answered by itself.
   * Never behind an answer of ours that was written whole.
   */
  readonly signal: AbortSignal
}
