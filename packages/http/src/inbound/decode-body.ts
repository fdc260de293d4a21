import { isUtf8 } from 'node:buffer'

import { whereNoJson } from '@understudy/config'
import { isRecord } from '@understudy/core'

import type { BodyIssue } from './issue-words.js'
import { issueWords } from './issue-words.js'
import type { Rejection } from './rejection.js'
import type { InboundBody, InboundHeaders } from './request.js'
import type { BodyShape } from './schemas.js'

/** Deeper ones are no honest request and are hard on whoever reads them after us. */
const MAX_NESTING = 200
/** Names of members are told up to here. */
const MAX_NAME = 50

// Else zod compiles a parser with `new Function`, which a process that forbids it would see.
const WITHOUT_EVAL = { jitless: true } as const

/** A body that was read and understood, or why not. `raw` = its bytes, where there are any. */
export type DecodedBody =
  | { readonly value: Readonly<Record<string, unknown>>; readonly raw: Uint8Array | undefined }
  | { readonly rejection: Rejection }

/** The rejection of a content type that is not JSON; no content type at all is taken for JSON. */
export function rejectContentType(headers: InboundHeaders): Rejection | undefined {
  const header = headers['content-type']
  if (header === undefined || header === 'application/json') return undefined
  const [type = ''] = String(header).split(';', 1)
  const name = type.trim().toLowerCase()
  if (name === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(name)) return undefined
  const message = `content-type is '${name.slice(0, 64)}'; send application/json`
  return { status: 415, code: 'unsupported_media_type', message }
}

/** Reads a body as one JSON object of this shape. `headers`: those that it came with, to say of what it could not be read. */
export function decodeBody(body: InboundBody, shape: BodyShape, headers: InboundHeaders = {}): DecodedBody {
  switch (body.type) {
    case 'bytes':
      return decodeBytes(body.bytes, shape)
    case 'parsed':
      return check(body.value, undefined, shape)
    case 'too_large': {
      const message = `the body is larger than ${body.limit} bytes (maxBodyBytes)`
      return { rejection: { status: 413, code: 'request_too_large', message } }
    }
    case 'consumed': {
      const message =
        'something read the body before Understudy and kept nothing: mount Understudy before it, or behind a parser ' +
        'that leaves the parsed body on the request (express.json(), koa-bodyparser)'
      return { rejection: { status: 400, code: 'body_consumed', message } }
    }
    case 'unreadable':
      return { rejection: unreadable(body.reason, headers) }
  }
}

function unreadable(reason: 'aborted' | 'encoding' | 'unsupported_encoding', headers: InboundHeaders): Rejection {
  switch (reason) {
    case 'aborted':
      return { status: 400, code: 'invalid_request_error', message: 'the body broke off' }
    case 'encoding':
      return { status: 400, code: 'invalid_request_error', message: 'the body is not what its content-encoding says' }
    case 'unsupported_encoding':
      return { status: 415, code: 'unsupported_media_type', message: `content-encoding ${encodingWords(headers)}` }
  }
}

/** What came is said where it looks like the name of an encoding: a header may hold anything. */
function encodingWords(headers: InboundHeaders): string {
  const name = String(headers['content-encoding'] ?? '').trim()
  return /^[\w.-]{1,64}$/.test(name) ? `is '${name}'; send gzip, deflate, br or identity` : 'is not one of gzip, deflate, br, identity'
}

function decodeBytes(bytes: Uint8Array, shape: BodyShape): DecodedBody {
  if (!isUtf8(bytes)) return invalidJson('the body is not valid UTF-8')
  const text = textOf(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // What V8 says of bad JSON quotes it, and with it the prompt.
    const message = `the body is not valid JSON${whereNoJson(text, error)}`
    return invalidJson(bytes.length === 0 ? 'the body is empty; send a JSON object' : message)
  }
  return check(value, bytes, shape, opensFew(text, '{') && opensFew(text, '['))
}

/** Without a byte-order mark, which some clients put before their JSON. */
function textOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

function invalidJson(message: string): DecodedBody {
  return { rejection: { status: 400, code: 'invalid_json', message } }
}

function check(value: unknown, raw: Uint8Array | undefined, shape: BodyShape, isFlat = false): DecodedBody {
  if (!isRecord(value)) return invalidRequest(`the body is ${describe(value)}; send a JSON object`, undefined)
  const deep = isFlat ? undefined : Object.keys(value).find((name) => !isShallow(value[name]))
  if (deep !== undefined) {
    const name = deep.slice(0, MAX_NAME)
    return invalidRequest(`${name}: the body is nested over ${MAX_NESTING} levels deep there`, name)
  }
  if (shape.quick(value)) return { value, raw }
  const issue = shape.firstBadItem?.(value) ?? wholeIssue(value, shape)
  if (issue === undefined) return { value, raw }
  const param = pathOf(issue.path)
  return invalidRequest(`${param ?? 'the body'}: ${issue.message}`, param)
}

function wholeIssue(value: unknown, { whole }: BodyShape): BodyIssue | undefined {
  const [issue] = whole.safeParse(value, WITHOUT_EVAL).error?.issues ?? []
  return issue && issueWords(issue)
}

function invalidRequest(message: string, param: string | undefined): DecodedBody {
  return { rejection: { status: 400, code: 'invalid_request_error', message, param } }
}

function pathOf(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('').replace(/^\./, '')
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}

/** Whether a bracket comes so rarely that nothing can be nested too deep: most bodies need no other look. */
function opensFew(text: string, bracket: '{' | '['): boolean {
  let count = 0
  for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
    count += 1
    if (count > MAX_NESTING / 2) return false
  }
  return true
}

/** Whether a member of a body leaves it shallow: level by level, so that no depth can exhaust the stack. */
function isShallow(member: unknown): boolean {
  let level: object[] = typeof member === 'object' && member !== null ? [member] : []
  for (let depth = 2; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return false
    const next: object[] = []
    for (const node of level) {
      for (const child of Object.values(node) as unknown[]) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
  return true
}
