import type { Failure } from '@understudy/core'
import { LegFailedError } from '@understudy/core'
import type { AnyEntry } from './client-call.js'
import type { RawTail } from './raw-tail.js'
import { replayError } from './replay-error.js'
import { vendorError } from './vendor-error.js'

/** The answer of an entry, before anything of it was read. */
export interface OpenedAnswer {
  readonly response: Response
  /** Where the answer is a stream of events. */
  readonly tail: RawTail | undefined
}

/** What one attempt leaves behind beside what the chain knows of it: the objects of its SDK. */
export interface Attempt {
  readonly entry: AnyEntry
  /** The answer, once its headers came. */
  answer?: OpenedAnswer | undefined
  /** What a command gave, where the client takes commands. */
  output?: unknown
  /** The first thing that its SDK or its connection threw. */
  thrown?: { readonly error: unknown } | undefined
}

/** What no SDK notices, or none puts better. */
const OWN_FINDINGS: ReadonlySet<string> = new Set(['aborted', 'empty', 'malformed', 'timeout', 'truncated'])

/** What a caller is told of an attempt's failure: what its SDK threw, or would have thrown. */
export async function errorOf(attempt: Attempt, failure: Failure): Promise<unknown> {
  const { entry, answer, thrown } = attempt
  // A limit of ours aborts the SDK, which then says that the caller did.
  if (failure.kind === 'timeout' && failure.phase !== undefined) {
    return vendorError(entry.client, 'APIConnectionTimeoutError') ?? new LegFailedError(failure)
  }
  if (thrown !== undefined) return thrown.error
  // An error inside a stream is made an error object by the SDK that reads it.
  const isSaid = answer?.tail !== undefined && !OWN_FINDINGS.has(failure.kind)
  const said = isSaid && entry.dialect !== undefined ? await replayError(entry, answer.response, answer.tail.bytes()) : undefined
  return said ?? new LegFailedError(failure)
}
