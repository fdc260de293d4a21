import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CallLog } from './call-log.js'
import type { Choice, StepChooser } from './choose-step.js'
import { dialects } from './dialect/dialects.js'
import type { Dialect, DialectError, DialectRequest, RefusalReason, Surface } from './dialect/dialect.js'
import type { Embedded } from './dialect/embeddings.js'
import { playStep } from './play-step.js'
import { openCall, type OpenCall, type ReceivedCall } from './record.js'
import type { Script } from './script.js'

/** A request that has been read, and what answers it. */
export interface Reception {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly rawBody: Buffer
  readonly at: number
  readonly socket: Socket
  readonly connection: number
  readonly script: Script | undefined
  readonly steps: StepChooser
  readonly log: CallLog
  readonly isClosing: () => boolean
  readonly onCall: ((call: ReceivedCall) => void) | undefined
}

/** Records a request and answers it: with its step, or as the vendor refuses it. */
export async function answerCall(reception: Reception): Promise<void> {
  const { request, response, rawBody, script, steps, log } = reception
  const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?')
  const body = parseJson(rawBody)
  const headers = headersOf(request)
  const asked: DialectRequest = { method: request.method ?? 'GET', path, query, headers, body, rawBody }
  const { dialect, surface } = findSurface(asked)
  const model = surface === undefined || surface.kind === 'models' ? undefined : surface.model
  const choice = model === undefined ? undefined : steps.next(model)
  const call = openCall({
    model,
    number: log.nextNumber(model),
    step: choice?.index,
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers,
    body,
    rawBody,
    stream: surface?.kind === 'chat' && surface.stream,
    at: reception.at,
    connection: reception.connection,
  }, request, response, reception.isClosing)
  log.add(call.received)
  reception.onCall?.(call.received)

  const vectors = surface?.kind === 'embeddings' && choice !== undefined && body !== undefined
    ? dialect.embedWith?.(model ?? '')?.(body, model ?? '', choice.step.strict ?? script?.strict ?? false)
    : undefined
  const refused = refusalOf(asked, dialect, surface, choice, script, rawBody) ?? faultOf(vectors, dialect)
  if (refused !== undefined) {
    sendJson(response, call, refused)
    return
  }
  if (choice === undefined || model === undefined) {
    sendJson(response, call, { status: 200, body: dialect.encodeModels(Object.keys(script?.models ?? {})) })
    return
  }
  const made = vectors !== undefined && 'body' in vectors ? vectors : undefined
  const context = { model, number: call.received.number, wantsUsage: dialect.wantsUsage(body), vectors: made }
  try {
    await playStep(choice.step, { dialect, context, call, response, socket: reception.socket })
  } catch (error) {
    // A caller that left is no error; its socket may be known to be gone before the response is.
    if (!call.signal.aborted && !reception.socket.destroyed) throw error
  }
}

function faultOf(vectors: Embedded | undefined, dialect: Dialect): DialectError | undefined {
  if (vectors === undefined || !('fault' in vectors)) return undefined
  const fields = { message: vectors.fault }
  return { status: 400, body: dialect.encodeError(400, fields), headers: dialect.errorHeaders?.(400, fields) }
}

function findSurface(request: DialectRequest): { readonly dialect: Dialect, readonly surface: Surface | undefined } {
  for (const dialect of dialects) {
    const surface = dialect.readSurface(request)
    if (surface !== undefined) return { dialect, surface }
  }
  return { dialect: dialects[0], surface: undefined }
}

function refusalOf(
  asked: DialectRequest,
  dialect: Dialect,
  surface: Surface | undefined,
  choice: Choice | undefined,
  script: Script | undefined,
  rawBody: Buffer,
): DialectError | undefined {
  const refuse = (reason: RefusalReason, detail = '') => dialect.refusal(reason, detail)
  if (surface === undefined) return refuse('unknown_path', `${asked.method} ${asked.path}`)
  const expected = choice?.step.apiKey ?? script?.apiKey
  const strict = choice?.step.strict ?? script?.strict ?? false
  if (dialect.refuseCaller !== undefined) {
    const refused = dialect.refuseCaller(asked, { apiKey: expected, aws: choice?.step.aws ?? script?.aws, strict, now: Date.now() })
    if (refused !== undefined) return refused
  } else if (expected !== undefined) {
    const key = dialect.readKey(asked)
    if (key === undefined) return refuse('no_key')
    if (key !== expected) return refuse('wrong_key')
  }
  if (surface.kind === 'models') return undefined
  if (asked.body === undefined) {
    return refuse('not_json', rawBody.length === 0 ? 'The body is empty.' : 'This is likely not valid JSON.')
  }
  if (surface.model === undefined) return refuse('no_model')
  if (choice === undefined) return refuse('unknown_model', surface.model)
  if (surface.kind === 'embeddings') return undefined
  return dialect.refuse(asked.body, {
    strict,
    refuseTrailingAssistant: choice.step.refuseTrailingAssistant ?? false,
    headers: asked.headers,
  })
}

function splitOnce(text: string, separator: string): string[] {
  const index = text.indexOf(separator)
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + separator.length)]
}

function headersOf(request: IncomingMessage): Record<string, string | undefined> {
  const entries = Object.entries(request.headers)
  return Object.fromEntries(entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]))
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

function sendJson(response: ServerResponse, call: OpenCall, { status, body, headers }: DialectError): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers })
  call.addBytes(Buffer.byteLength(text))
  response.end(text)
}
