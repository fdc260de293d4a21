import type { Failure, StopSignal } from '@understudy/core'

/**
 * The bytes of an answer, taken rather than handed over: what arrives between two takes is one piece, however many
 * chunks it came in, and what nobody takes stops the provider. For one reader.
 */
export interface ByteSource {
  /** Everything that came since the last take; `undefined` if nothing did. */
  take(): Buffer | undefined
  /** Whether more can come. What was not taken yet can be, whatever the state. */
  readonly state: 'open' | 'ended' | 'failed'
  /** Why it failed. */
  readonly failure: Failure | undefined
  /** Calls back once, when there is something to take or the state has changed, and never before it returns. */
  onReady(callback: () => void): void
  /** The reader has what it wants: what is left is read for a moment, so that the connection can be used again. */
  release(): void
  /** The reader wants no more: a body that has not ended is cut at the socket. */
  cancel(): void
}

/** Waits for more. Rejects with the reason of `signal` once that is aborted, which makes every source ready. */
export async function waitForBytes(source: ByteSource, signal: StopSignal): Promise<void> {
  signal.throwIfAborted()
  if (source.state !== 'open') return
  await new Promise<void>((resolve) => source.onReady(resolve))
  signal.throwIfAborted()
}
