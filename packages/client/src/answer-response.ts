import type { CommittedRun, Part } from '@understudy/core'
import { legName } from '@understudy/core'
import { answerBody } from './answer-body.js'
import type { Attempt, OpenedAnswer } from './attempt.js'
import type { ClientCall, ClientEntry } from './client-call.js'

/** An attempt through an SDK that has a dialect. */
type ServingAttempt = Attempt & { readonly entry: ClientEntry }

/** Whether an attempt went through such an SDK. */
export function isServing(attempt: Attempt): attempt is ServingAttempt {
  return attempt.entry.dialect !== undefined
}

/** Headers that say how bytes were sent which are not those that the caller gets. */
const TRANSPORT_HEADERS = ['content-encoding', 'content-length', 'transfer-encoding']

/**
 * The answer of a bound run as the caller's SDK takes it: a response in the caller's dialect, with the provider's own headers, and
 * which entry served in `understudy-served`. The stream ends when `signal` aborts; `wallClock` dates what is translated.
 */
export async function answerResponse(
  run: CommittedRun,
  attempt: ServingAttempt,
  answer: OpenedAnswer,
  call: ClientCall,
  { signal, wallClock }: { readonly signal: AbortSignal; readonly wallClock: () => number },
): Promise<Response> {
  const { codec } = call.dialect
  const { status, statusText, url } = answer.response
  const { stream } = call.request
  const form = run.answer.form
  const isForwarded = stream ? form === 'events' : form === 'json' && attempt.entry.dialect === call.dialect
  const init = { status: status === 204 || status === 205 ? 200 : status, statusText, headers: headersOf(run, attempt, answer, call) }
  const written = {
    id: `understudy-${wallClock().toString(36)}`,
    created: Math.floor(wallClock() / 1_000),
    model: attempt.entry.dialect === call.dialect ? undefined : run.leg.model,
  }

  const body = stream
    ? answerBody({
        run,
        attempt,
        encoder: isForwarded ? undefined : codec.createStreamEncoder({ ...written, includeUsage: call.includeUsage }),
        terminator: codec.streamTerminator,
        signal,
      })
    : await document(run, isForwarded, (parts) => codec.encodeResponse(parts, written))
  const response = new Response(body, init)
  // A response that is made has no URL of its own, and the SDKs log it.
  Object.defineProperty(response, 'url', { value: url })
  return response
}

/** The whole answer: where nothing was streamed it is all there at the commit. */
async function document(
  run: CommittedRun,
  isForwarded: boolean,
  encode: (parts: readonly Part[]) => Record<string, unknown>,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Part[] = []
  const pieces: Uint8Array[] = []
  for await (const arrival of run.arrivals) {
    for (const part of arrival.parts) parts.push(part)
    if (arrival.bytes !== undefined) pieces.push(arrival.bytes)
  }
  const bytes = isForwarded ? Buffer.concat(pieces) : Buffer.from(JSON.stringify(encode(parts)))
  return new Uint8Array(bytes)
}

function headersOf(run: CommittedRun, { entry }: ServingAttempt, { response }: OpenedAnswer, call: ClientCall): Headers {
  const headers = new Headers(response.headers)
  for (const name of TRANSPORT_HEADERS) headers.delete(name)
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true
  if (isEvents !== call.request.stream) {
    headers.set('content-type', call.request.stream ? 'text/event-stream' : 'application/json')
  }
  const requestId = headers.get(entry.dialect.requestIdHeader)
  if (requestId !== null) headers.set(call.dialect.requestIdHeader, requestId)
  headers.set('understudy-served', headerText(legName(run.leg)))
  return headers
}

/** A model may be called anything, half of a surrogate pair too; a header takes ASCII. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, (run) => encodeURIComponent(Buffer.from(run).toString()))
}
