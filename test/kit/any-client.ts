import { connect } from 'node:http2'
import type { Readable } from 'node:stream'

import { begin, headOf } from './http-client.js'

export type Transport = 'http1' | 'http2'
export type Leaving = 'cancel' | 'error' | 'cut'

/** One request on its way, over whatever carries it. */
export interface AnyExchange {
  readonly status: () => Promise<number>
  /** The next bytes of the answer, as text. */
  readonly next: () => Promise<string>
  /** The rest of the answer. */
  readonly text: () => Promise<string>
  /** Goes: says no more, or as an error where the protocol knows one, or with its socket. */
  readonly leave: (how?: Leaving) => void
}

/** A client of one of node's two protocols. */
export interface AnyClient {
  /** Sends a JSON body, or the first `bytes` of it and then no more. */
  readonly post: (path: string, body: string, bytes?: number) => AnyExchange
  readonly close: () => void
}

export async function clientOf(transport: Transport, port: number): Promise<AnyClient> {
  return transport === 'http1' ? overHttp1(port) : overHttp2(port)
}

function overHttp1(port: number): AnyClient {
  return {
    post(path, body, bytes) {
      const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
      const request = begin(port, path, { headers })
      const head = headOf(request)
      head.then((response) => response.on('error', ignore), ignore)
      request.on('error', ignore)
      if (bytes === undefined) request.end(body)
      else request.write(body.slice(0, bytes))
      return reading(() => head.then(({ statusCode = 0 }) => statusCode), () => head, (how = 'cancel') => void (how === 'cancel' ? request.destroy() : request.socket?.resetAndDestroy()))
    },
    close: ignore,
  }
}

async function overHttp2(port: number): Promise<AnyClient> {
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', ignore)
  await new Promise((resolve) => session.once('connect', resolve))
  return {
    post(path, body, bytes) {
      const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/json' })
      stream.on('error', ignore)
      const status = new Promise<number>((resolve) => stream.once('response', (headers) => resolve(headers[':status'] ?? 0)))
      if (bytes === undefined) stream.end(body)
      else stream.write(body.slice(0, bytes))
      return reading(() => status, () => status.then(() => stream), (how = 'cancel') => {
        if (how === 'cut') session.destroy()
        else stream.close(RESET_CODES[how])
      })
    },
    close: () => session.destroy(),
  }
}

const RESET_CODES = { cancel: 8, error: 2 } as const

function reading(status: AnyExchange['status'], body: () => Promise<Readable>, leave: AnyExchange['leave']): AnyExchange {
  return {
    status,
    async next() {
      const stream = await body()
      return new Promise((resolve) => {
        stream.once('data', (chunk: Buffer) => {
          stream.pause()
          resolve(chunk.toString())
        })
      })
    },
    async text() {
      let text = ''
      for await (const chunk of await body()) text += String(chunk)
      return text
    },
    leave,
  }
}

function ignore(): void {
  // Who leaves is told so by its own side.
}
