import type { InboundRequest, OutboundResponse } from '@understudy/http'
import type { ZodType } from 'zod'

import { refusal } from './reply.js'

/** No call has more to say. */
const MAX_BODY_BYTES = 64 * 1024

/** A member that is none may be called anything. */
const LONGEST_KEY = 60

/** The body of a call, or the answer that says what is wrong with it. */
export type ReadBody<Body> = { readonly body: Body } | { readonly refused: OutboundResponse }

/** Reads and checks the body of a call. */
export async function readJson<Body>(request: InboundRequest, schema: ZodType<Body>): Promise<ReadBody<Body>> {
  const type = request.headers['content-type']
  if (typeof type !== 'string' || !/^application\/json\s*(?:;|$)/i.test(type)) {
    return refused('unsupported_media_type', 'send JSON, with content-type: application/json')
  }
  const read = await request.readBody(MAX_BODY_BYTES)
  switch (read.type) {
    case 'too_large':
      return refused('too_large', `the body is over ${read.limit} bytes`)
    case 'consumed':
      return refused('invalid_request', 'a body parser before the admin surface read the body and kept nothing of it')
    case 'unreadable':
      return refused('invalid_request', 'the body could not be read')
    case 'parsed':
      return checked(read.value, schema)
    case 'bytes': {
      const value = parsed(read.bytes)
      return value === undefined ? refused('invalid_request', 'the body is no JSON') : checked(value.json, schema)
    }
  }
}

function parsed(bytes: Uint8Array): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(Buffer.from(bytes).toString()) }
  } catch {
    return undefined
  }
}

function checked<Body>(value: unknown, schema: ZodType<Body>): ReadBody<Body> {
  const result = schema.safeParse(value)
  if (result.success) return { body: result.data }
  const issues = result.error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: issue.path.join('.'), message: issue.message }]
    const messages = issue.message.split('\n')
    return issue.keys.map((key, index) => ({ path: key.slice(0, LONGEST_KEY), message: messages[index] ?? 'is not known here' }))
  })
  const said = issues.map(({ path, message }) => (path === '' ? `it ${message}` : `${path} ${message}`)).join('; ')
  return { refused: refusal('invalid_request', `the body is not what this call takes: ${said}`, { issues }) }
}

function refused(...[code, message]: Parameters<typeof refusal>): { readonly refused: OutboundResponse } {
  return { refused: refusal(code, message) }
}
