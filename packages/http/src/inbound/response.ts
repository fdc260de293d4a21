/**
 * What `Fallback.handle` resolves to, at commit or at the final failure: status and headers are settled before a byte is
 * written.
 */
export interface OutboundResponse {
  readonly status: number
  /** Lower-case names. `content-length` is there exactly when `body` is bytes. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The whole body, or a stream of it: one item a write, in order, asked for one at a time, which is the back-pressure. A
   * stream never rejects: a failure after the commit is an error event inside it. Whoever reads it closes it (`return`).
   */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | undefined
}
