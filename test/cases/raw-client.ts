import { connect, type Socket } from 'node:net'
import { createMessageReader, type MessageReader } from './message-reader.js'

/** One request, as it is put on the wire. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
  readonly http?: '1.0' | '1.1' | undefined
  /** Leave after so long, whatever has come. */
  readonly abortAfterMs?: number | undefined
  /** Read no faster than so many bytes a second. */
  readonly readRateBps?: number | undefined
  /** Leave if the answer is not over by then. Default 30 000. */
  readonly deadlineMs?: number | undefined
}

/** One answer, as it came off the wire. Times are `performance.now()`. */
export interface RawAnswer {
  /** Null if none came. */
  readonly status: number | null
  /** Names in lower case, as they came. */
  readonly headers: readonly (readonly [string, string])[]
  /** Without the framing, but still encoded as `content-encoding` says. */
  readonly body: Buffer
  /** The pieces of the body, as they came. */
  readonly pieces: readonly { readonly at: number, readonly bytes: Buffer }[]
  /** Everything that came, the framing included. */
  readonly wire: Buffer
  /** Whether the message ended as its framing says. */
  readonly complete: boolean
  /** `deadline`: nothing ended it; a hang. */
  readonly endedBy: 'message' | 'server' | 'abort' | 'deadline'
  readonly sentAt: number
  readonly endedAt: number
}

/** A connection of our own to a host under test. */
export interface RawConnection {
  /** One at a time. */
  send(request: RawRequest): Promise<RawAnswer>
  close(): void
}

/** Connects without any HTTP client in between. */
export function openConnection(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  // What breaks shows in the answer.
  socket.on('error', () => undefined)
  return {
    send: (request) => exchange(socket, request),
    close: () => {
      socket.destroy()
    },
  }
}

/** One request over a connection of its own. */
export async function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  const connection = openConnection(port)
  try {
    return await connection.send(request)
  } finally {
    connection.close()
  }
}

function exchange(socket: Socket, request: RawRequest): Promise<RawAnswer> {
  const { abortAfterMs, readRateBps, deadlineMs = 30_000 } = request
  return new Promise((resolve) => {
    const reader = createMessageReader(request.method)
    const sentAt = performance.now()
    const throttle = readRateBps === undefined ? undefined : createThrottle(socket, readRateBps)
    let abort: NodeJS.Timeout | undefined
    const deadline = setTimeout(() => finish('deadline'), deadlineMs)

    const onData = (bytes: Buffer) => {
      reader.read(bytes, performance.now())
      throttle?.took(bytes.length)
      if (reader.state() === 'complete') finish('message')
    }
    const onEnd = () => {
      reader.end()
      finish('server')
    }
    socket.on('data', onData)
    socket.once('close', onEnd)
    if (socket.destroyed) onEnd()
    socket.write(headOf(request))
    if (request.body !== undefined) socket.write(request.body)
    if (abortAfterMs !== undefined) abort = setTimeout(() => finish('abort'), abortAfterMs)

    function finish(endedBy: RawAnswer['endedBy']): void {
      clearTimeout(abort)
      clearTimeout(deadline)
      throttle?.stop()
      socket.off('data', onData)
      socket.off('close', onEnd)
      if (endedBy === 'abort' || endedBy === 'deadline') socket.destroy()
      resolve({ ...answerOf(reader), endedBy, sentAt, endedAt: performance.now() })
    }
  })
}

function answerOf(reader: MessageReader): Omit<RawAnswer, 'endedBy' | 'sentAt' | 'endedAt'> {
  const { status, headers, pieces, wire } = reader.message()
  return {
    status,
    headers,
    pieces,
    wire,
    body: Buffer.concat(pieces.map(({ bytes }) => bytes)),
    complete: reader.state() === 'complete',
  }
}

function headOf({ method, path, headers, body, http = '1.1' }: RawRequest): string {
  const length = body === undefined && method !== 'POST' ? {} : { 'content-length': body?.length ?? 0 }
  const lines = Object.entries({ host: 'host.test', ...headers, ...length }).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/${http}`, ...lines, '', ''].join('\r\n')
}

/** Lets the kernel's buffers fill: that is how a slow client looks from the other side. */
function createThrottle(socket: Socket, bytesPerSecond: number) {
  const startedAt = performance.now()
  let total = 0
  let timer: NodeJS.Timeout | undefined
  return {
    took: (bytes: number) => {
      total += bytes
      const aheadMs = (total / bytesPerSecond) * 1_000 - (performance.now() - startedAt)
      if (aheadMs < 5 || socket.isPaused()) return
      socket.pause()
      timer = setTimeout(() => socket.resume(), aheadMs)
    },
    stop: () => {
      clearTimeout(timer)
      socket.resume()
    },
  }
}
