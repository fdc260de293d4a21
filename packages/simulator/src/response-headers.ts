import type { AnswerContext } from './dialect/dialect.js'
import { fillHeaderValue } from './header-value.js'
import type { Payload } from './payload.js'
import { chunksLength } from './replay-chunks.js'
import type { Step } from './script.js'

type HeaderValue = string | number | readonly string[]

/** The headers of a step: ours first, so that the script's replace them. */
export function responseHeaders(step: Step, payload: Payload, context: AnswerContext): [string, HeaderValue][] {
  const own: [string, HeaderValue][] = [
    ['content-type', step.contentType ?? payload.contentType],
    ['x-request-id', requestId(context)],
  ]
  if (payload.kind === 'bytes') own.push(...Object.entries(payload.headers ?? {}))
  if (payload.kind === 'events') own.push(['cache-control', 'no-cache'])
  if (step.compress !== undefined) own.push(['content-encoding', step.compress])
  const asksLength = payload.kind === 'bytes' || Object.values(step.headers ?? {}).includes('@auto')
  const length = asksLength ? knownLength(step, payload) : undefined
  if (length !== undefined && payload.kind === 'bytes') own.push(['content-length', length])
  const nowMs = Date.now()
  const written = Object.entries(step.headers ?? {}).flatMap(([name, value]): [string, HeaderValue][] => {
    if (value === '@auto') return length === undefined ? [] : [[name, length]]
    if (typeof value === 'string') return [[name, fillHeaderValue(value, nowMs)]]
    return [[name, typeof value === 'number' ? value : value.map((item) => fillHeaderValue(item, nowMs))]]
  })
  return [...own, ...written]
}

/** A lone surrogate in a model's name cannot be encoded. */
function requestId({ model, number }: AnswerContext): string {
  return `req-${encodeURIComponent(model.replace(/\p{Surrogate}/gu, '\ufffd'))}-${number}`
}

/** What the whole body will measure, before a fault cuts it; undefined where only sending it tells. */
function knownLength(step: Step, payload: Payload): number | undefined {
  const reshaped = step.compress !== undefined || step.lineEnd !== undefined || step.bom === true
  if (reshaped || (step.fault !== undefined && reshapes(step.fault.do))) return undefined
  switch (payload.kind) {
    case 'bytes':
      return payload.bytes.length
    case 'chunks':
      return chunksLength(step)
    case 'events':
      if (payload.framing !== undefined) return undefined
      return payload.events.reduce((sum, event) => sum + Buffer.byteLength(event), 0)
  }
}

/** A message that is cut off keeps its announced length; one that is complete but different cannot. */
function reshapes(kind: string): boolean {
  return kind !== 'reset' && kind !== 'close' && kind !== 'stall'
}
