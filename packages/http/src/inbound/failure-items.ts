import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

import type { ClientError, DialectCodec } from '@understudy/dialects'

/** Milliseconds between two writes that a client must not read as one: what is sent at once may arrive at once. */
const APART_MS = 30

/** What `bytes` are after a moment, so that they are read alone. */
export async function apart(bytes: Uint8Array): Promise<Uint8Array> {
  await sleep(APART_MS)
  // Where this process was busy for longer, what it wrote before goes out, and to a client in it, before this does.
  await nextTurn()
  return bytes
}

/** All of a stream that says no more than that it failed. */
export async function* failureItems(codec: DialectCodec, error: ClientError): AsyncGenerator<Uint8Array, undefined> {
  yield codec.encodeStreamFailure(error)
  const bare = codec.encodeBareFailure?.(error)
  if (bare !== undefined) yield await apart(bare)
}
