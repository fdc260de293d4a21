import { openConnection } from './connection.mjs'
import { requestBytes } from './request.mjs'

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]

const LONGEST_MS = 8000

/**
 * Each connection sends a request, waits for the whole answer and sends the next, until the time is up and `atLeast` requests
 * were made; then the answers still open are awaited, so that what the target spent belongs to exactly the requests counted.
 */
export function runLoad({ port, connections, ms, stream, atLeast = 0, longestMs = LONGEST_MS }) {
  const request = requestBytes(port, stream)
  const tokensUs = []
  let requests = 0
  let failed = 0
  let open = connections

  return new Promise((resolve) => {
    const from = performance.now()
    const finish = () => {
      open -= 1
      if (open > 0) return
      tokensUs.sort((a, b) => a - b)
      resolve({
        requests,
        failed,
        ms: performance.now() - from,
        tokens: tokensUs.length,
        tokenP50Us: percentile(tokensUs, 0.5),
        tokenP99Us: percentile(tokensUs, 0.99),
      })
    }
    for (let index = 0; index < connections; index += 1) {
      let over = false
      const connection = openConnection({
        port,
        request,
        stream,
        onAnswer: ({ ok, tokenUs }) => {
          requests += 1
          if (!ok) failed += 1
          if (tokenUs !== undefined) tokensUs.push(tokenUs)
          const elapsed = performance.now() - from
          if (elapsed < ms || (requests < atLeast && elapsed < longestMs)) return connection.send()
          over = true
          connection.close()
          finish()
        },
        onClose: () => {
          if (over) return
          over = true
          failed += 1
          finish()
        },
      })
      connection.send()
    }
  })
}
