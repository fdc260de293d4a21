import type { OpenRuns } from '../open-runs.js'
import { clientOf, signalOf } from './client.js'
import type { InboundRequest } from './request.js'

/**
 * Settles as `work` does, or with nothing as soon as nobody waits for it: the client has left, or the `Fallback` is closed. Code of
 * the host that never ends holds no request.
 */
export function whileWanted<T>(work: Promise<T>, inbound: InboundRequest, openRuns: OpenRuns): Promise<T | undefined> {
  const client = clientOf(inbound)
  const signal = client === undefined ? signalOf(inbound) : undefined
  let release = (): void => undefined
  const first = new Promise<T | undefined>((resolve, reject) => {
    const onUnwanted = (): void => resolve(undefined)
    const stopListening = openRuns.onClose(onUnwanted)
    client?.onGone(onUnwanted)
    signal?.addEventListener('abort', onUnwanted)
    if (signal?.aborted === true) onUnwanted()
    release = () => {
      stopListening()
      signal?.removeEventListener('abort', onUnwanted)
    }
    work.then(resolve, reject)
  })
  return first.finally(() => release())
}
