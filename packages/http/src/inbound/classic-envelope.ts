import type { DialectCodec } from '@understudy/dialects'
import { openai } from '@understudy/dialects'
import { createFrameReader, parseFrame } from '@understudy/sse'

const DONE = '[DONE]'
const EXHAUSTED = new Set(['all_legs_failed', 'all_models_failed'])

/** What a client of the classic envelope is written with: the OpenAI words inside `success`, `metadata` and typed frames. */
export const classic: DialectCodec = {
  ...openai,
  encodeFailure({ code, message, requestId, attempts, param }) {
    return {
      body: {
        success: false,
        error: EXHAUSTED.has(code) ? 'All model attempts failed' : code,
        message,
        request_id: requestId,
        ...(param !== undefined && { param }),
        ...(attempts !== undefined && { attempts }),
      },
    }
  },
  encodeStreamFailure: ({ code, message, requestId }) => frame('error', { code, message, request_id: requestId }),
  withStreamField: (frames, _key, json) => Buffer.concat([Buffer.from(`data: {"type":"metadata","data":${json}}\n\n`), frames]),
  withResponseField: (body, _key, json, members) => openai.withResponseField(body, 'metadata', json, members),
}

/** A whole answer. */
export function classicDocument(body: Uint8Array): Uint8Array {
  return openai.withResponseField(body, 'success', 'true')
}

/** Whole OpenAI events as typed frames; comments and the terminator stay what they are. */
export function classicFrames(bytes: Uint8Array): Uint8Array {
  const frames = createFrameReader().push(bytes)
  if (frames === undefined) return bytes
  const written = frames.ends.map((end, index) => {
    const start = frames.ends[index - 1] ?? 0
    const data = parseFrame(frames.latin1.slice(start, end))?.data
    return data === undefined || data.trim() === DONE ? frames.bytes.subarray(start, end) : typedFrames(data)
  })
  return Buffer.concat(written)
}

function typedFrames(data: string): Uint8Array {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return Buffer.alloc(0)
  }
  if (typeof value !== 'object' || value === null) return Buffer.alloc(0)
  const usage: unknown = Reflect.get(value, 'usage')
  const choices: unknown = Reflect.get(value, 'choices')
  const chunk = Array.isArray(choices) && choices.length > 0 ? frame('chunk', value) : Buffer.alloc(0)
  return typeof usage === 'object' && usage !== null ? Buffer.concat([chunk, frame('usage', usage)]) : chunk
}

function frame(type: 'chunk' | 'usage' | 'error', data: object): Buffer {
  return Buffer.from(`data: ${JSON.stringify({ type, data })}\n\n`)
}
