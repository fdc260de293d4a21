import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'

/** A request as it came. */
export interface Received {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** What a server answers: a status and JSON, or whatever a function does with the response. */
export type Answer = readonly [status: number, value: unknown] | ((response: ServerResponse, request: IncomingMessage) => void)

/** A control surface that a test plays on a real socket. */
export interface AdminServer {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  /** `GET /status` and so on, without the mount and the query; what is not there is a 404 of a web framework. */
  answers: Readonly<Record<string, Answer>>
  /** What its clock shows, in milliseconds since the epoch. Default the clock of this machine. */
  at: number | undefined
}

/** Starts one under `/admin`, and closes it with the test. */
export async function startAdminServer(t: Test, answers: Readonly<Record<string, Answer>>): Promise<AdminServer> {
  const received: Received[] = []
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const admin: AdminServer = { url: `http://127.0.0.1:${address.port}/admin`, port: address.port, received, answers, at: undefined }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const body = await text(request)
    const path = url.replace(/^\/admin/, '')
    received.push({ method, path, headers, body: body === '' ? undefined : JSON.parse(body) })
    if (admin.at !== undefined) response.setHeader('date', new Date(admin.at).toUTCString())
    const found = admin.answers[`${method} ${path.split('?')[0]}`]
    if (typeof found === 'function') found(response, request)
    else if (found === undefined) response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Cannot GET</h1>')
    else response.writeHead(found[0], { 'content-type': 'application/json' }).end(JSON.stringify(found[1]))
  }

  return admin
}
