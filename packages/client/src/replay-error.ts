import type { ClientEntry } from './client-call.js'

/**
 * What an entry's own SDK throws when it reads these events; `undefined` if it throws nothing. No request is made.
 */
export async function replayError({ client, dialect }: ClientEntry, { status, headers }: Response, bytes: Uint8Array<ArrayBuffer>): Promise<unknown> {
  try {
    await dialect.replay(client, new Response(bytes, { status, headers }))
    return undefined
  } catch (error) {
    return error
  }
}
