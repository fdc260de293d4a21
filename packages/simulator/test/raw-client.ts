import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import type { Simulator } from '../src/index.js'

/** What one exchange looked like on the wire. */
export interface Exchange {
  readonly statusLine: string
  readonly headers: Record<string, string>
  /** The body with the chunked framing taken off. */
  readonly body: string
  readonly bodyBytes: Buffer
  /** Each read, in ms since the request was sent. */
  readonly reads: readonly { readonly atMs: number, readonly bytes: Buffer }[]
  /** `complete`: by length or last chunk; `cut`: FIN before that; `reset`: RST; `silent`: we left at the deadline. */
  readonly ended: 'complete' | 'cut' | 'reset' | 'silent'
}

export interface ExchangeOptions {
  readonly body?: unknown
  readonly path?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  /** Leave if nothing ended the exchange by then. */
  readonly deadlineMs?: number
}

/** One request over a socket of its own. */
export async function exchange(simulator: Simulator, options: ExchangeOptions = {}): Promise<Exchange> {
  const { body = streamed, path = '/v1/chat/completions', method = 'POST', headers = {}, deadlineMs = 5_000 } = options
  const socket = connect(simulator.port, '127.0.0.1')
  const sent = performance.now()
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const allHeaders = { 'content-type': 'application/json', ...headers }
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`)
  socket.write([
    `${method} ${path} HTTP/1.1`, 'host: simulator', 'connection: close',
    `content-length: ${Buffer.byteLength(text)}`, ...lines, '', text,
  ].join('\r\n'))

  const reads: { atMs: number, bytes: Buffer }[] = []
  const over = new Promise<'fin' | 'reset'>((resolve) => {
    socket.on('data', (bytes) => reads.push({ atMs: performance.now() - sent, bytes }))
    socket.once('end', () => resolve('fin'))
    socket.once('error', () => resolve('reset'))
  })
  const deadline = new AbortController()
  const ending = await Promise.race([
    over,
    setTimeout(deadlineMs, 'silent' as const, { signal: deadline.signal }).catch(() => 'silent' as const),
  ])
  deadline.abort()
  socket.destroy()
  return describe(Buffer.concat(reads.map(({ bytes }) => bytes)), reads, ending)
}

function describe(whole: Buffer, reads: Exchange['reads'], ending: 'fin' | 'reset' | 'silent'): Exchange {
  const headEnd = whole.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = whole.subarray(0, Math.max(headEnd, 0)).toString().split('\r\n')
  const headers = Object.fromEntries(lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  }))
  const rest = headEnd === -1 ? Buffer.alloc(0) : whole.subarray(headEnd + 4)
  const { bytes, complete } = headers['transfer-encoding'] === 'chunked'
    ? unchunk(rest)
    : { bytes: rest, complete: rest.length === Number(headers['content-length']) }
  return {
    statusLine,
    headers,
    body: bytes.toString(),
    bodyBytes: bytes,
    reads,
    ended: ending === 'fin' ? (complete ? 'complete' : 'cut') : ending,
  }
}

function unchunk(framed: Buffer): { bytes: Buffer, complete: boolean } {
  const pieces: Buffer[] = []
  let rest = framed
  for (;;) {
    const lineEnd = rest.indexOf('\r\n')
    if (lineEnd === -1) return { bytes: Buffer.concat(pieces), complete: false }
    const size = Number.parseInt(rest.subarray(0, lineEnd).toString(), 16)
    if (size === 0) return { bytes: Buffer.concat(pieces), complete: true }
    pieces.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    rest = rest.subarray(lineEnd + 2 + size + 2)
  }
}

export const whole = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
export const streamed = { ...whole, stream: true }

/** The data of each event, parsed where it is JSON. */
export function eventsOf({ body }: Exchange): unknown[] {
  return body.split(/(?:\r\n\r\n|\n\n|\r\r)/).flatMap((block) => {
    const data = block.split(/\r\n|\n|\r/).find((line) => line.startsWith('data:'))?.slice(5).trim()
    if (data === undefined) return []
    try {
      return [JSON.parse(data)]
    } catch {
      return [data]
    }
  })
}

/** The text that a stream's well-formed events carry. */
export function textOf(seen: Exchange): string {
  type Chunk = { choices?: { delta?: { content?: string } }[] } | null
  return eventsOf(seen).map((event) => (event as Chunk)?.choices?.[0]?.delta?.content ?? '').join('')
}
