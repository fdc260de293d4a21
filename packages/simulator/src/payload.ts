import type { AnswerContext, Dialect } from './dialect/dialect.js'
import type { Framing } from './frames.js'
import type { Step } from './script.js'

/** What a step sends, before anything bends it. */
export type Payload =
  | {
      readonly kind: 'events'
      readonly contentType: string
      readonly events: readonly string[]
      /** How the events go out where they are no server-sent events. */
      readonly framing?: Framing | undefined
    }
  | {
      readonly kind: 'bytes'
      readonly contentType: string
      readonly bytes: Buffer
      /** What stands beside an error. */
      readonly headers?: Readonly<Record<string, string>> | undefined
    }
  | { readonly kind: 'chunks', readonly contentType: string }

const jsonType = 'application/json'

/** What the step's body is, in the dialect of the call. */
export function payloadOf(step: Step, dialect: Dialect, context: AnswerContext, asksStream: boolean): Payload {
  const { body, error, html, empty, chunks, status = 200 } = step
  const stream = step.streamForJson === true || (asksStream && step.jsonForStream !== true)
  if (chunks !== undefined) return { kind: 'chunks', contentType: stream ? dialect.streamContentType : jsonType }
  if (html === true) return bytes('text/html; charset=utf-8', htmlPage(status))
  if (body !== undefined) {
    return typeof body === 'string' ? bytes(guessType(body), body) : bytes(jsonType, JSON.stringify(body))
  }
  if (error !== undefined || (status >= 400 && step.answer === undefined && empty === undefined)) {
    return { ...bytes(jsonType, JSON.stringify(dialect.encodeError(status, error))), headers: dialect.errorHeaders?.(status, error) }
  }
  if (context.vectors !== undefined) {
    const text = empty === undefined ? JSON.stringify(context.vectors.body) : empty === 'bytes' ? '' : '{}'
    return { ...bytes(jsonType, text), headers: context.vectors.headers }
  }
  const type = stream ? dialect.streamContentType : jsonType
  if (empty === 'bytes') return bytes(type, '')
  const answer = empty === 'no_content' ? { text: '', usage: step.answer?.usage } : (step.answer ?? {})
  if (!stream) {
    const text = empty === 'no_choices'
      ? dialect.encodeNoChoices(context, false)
      : JSON.stringify(dialect.encodeResponse(answer, context))
    return bytes(jsonType, empty === 'done_only' ? '' : text)
  }
  return { kind: 'events', contentType: type, events: decorate(eventsOf(), step), framing: dialect.framing }

  function eventsOf(): readonly string[] {
    if (empty === 'done_only') return dialect.encodeTerminators(step)
    if (empty === 'no_choices') return [dialect.encodeNoChoices(context, true), ...dialect.encodeTerminators(step)]
    return dialect.encodeStream(answer, context, step)
  }
}

function decorate(events: readonly string[], { comments, prefixJunk = [] }: Step): string[] {
  const comment = ': ping\n\n'
  return [
    ...(comments === 'before' ? [comment] : []),
    ...prefixJunk.map((block) => `${block}\n\n`),
    ...events.map((event) => (comments === 'between' ? comment + event : event)),
  ]
}

function bytes(contentType: string, text: string): Payload & { readonly kind: 'bytes' } {
  return { kind: 'bytes', contentType, bytes: Buffer.from(text) }
}

function guessType(text: string): string {
  if (/^\s*[[{]/.test(text)) return jsonType
  return /^\s*</.test(text) ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8'
}

function htmlPage(status: number): string {
  return `<!DOCTYPE html>\n<html><head><title>${status}</title></head>\n`
    + `<body><center><h1>${status}</h1></center><hr><center>proxy</center></body></html>\n`
}
