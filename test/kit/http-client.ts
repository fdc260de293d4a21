import { Agent, request as httpRequest } from 'node:http'
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface Ask {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | Uint8Array | undefined
  readonly agent?: Agent | undefined
}

export const JSON_HEADERS = { 'content-type': 'application/json' } as const

/** Starts a request and hands it over as it is. */
export function begin(port: number, path: string, { method = 'POST', headers = JSON_HEADERS, agent }: Ask = {}): ClientRequest {
  return httpRequest({ host: '127.0.0.1', port, path, method, headers, ...(agent === undefined ? { agent: false } : { agent }) })
}

export function headOf(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => request.once('response', resolve).once('error', reject))
}

/** Sends a request and reads the head of its answer. */
export function open(port: number, path: string, asked: Ask = {}): Promise<IncomingMessage> {
  const request = begin(port, path, asked)
  const head = headOf(request)
  request.end(asked.body ?? (asked.method === undefined || asked.method === 'POST' ? '{"model":"chat"}' : undefined))
  return head
}

/** Sends a request and reads its whole answer. */
export async function ask(port: number, path: string, asked: Ask = {}): Promise<Answer> {
  const response = await open(port, path, asked)
  return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) }
}

export async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The next bytes of a response, as text. */
export function nextChunk(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    response.once('data', (chunk: Buffer) => {
      response.pause()
      resolve(chunk.toString())
    })
    response.once('error', reject)
    response.resume()
  })
}

/** A bare socket, for what a client library would not send. */
export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Everything that the other side says until it closes. */
export function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.once('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** Reads until the text so far satisfies `enough`. */
export function readUntil(socket: Socket, enough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (!enough(text)) return
      socket.off('data', onData)
      resolve(text)
    }
    socket.on('data', onData)
    socket.once('close', () => reject(new Error(`closed after: ${text}`)))
  })
}

/** A POST in the words of HTTP. */
export function rawPost(path: string, body: string, { version = '1.1', headers = '' } = {}): string {
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/${version}\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`
}
