import { z } from 'zod'
import { headerForms, isUnknownForm } from './header-value.js'
import { ScriptError } from './script-error.js'
import { describeIssues } from './script-issues.js'
import { strictObject } from './strict-object.js'
import type { Answer, AwsKeys, Chunk, Fault, Json, Script, Step } from './script.js'

const ms = z.int().min(0)
const count = z.int().min(1)
const json: z.ZodType<Json> = z.json()
const jsonObject = z.record(z.string(), json)

const headerText = z.string()
  .refine((value) => !isUnknownForm(value), {
    error: ({ input }) => `'${String(input)}' cannot be filled in; it must be ${headerForms}`,
  })
  .refine((value) => !/[^\t\x20-\x7e\x80-\xff]/.test(value), 'it has a character that no HTTP header can hold')
const headerName = z.string()
  .refine((name) => /^[!#$%&'*+.^_`|~\w-]+$/.test(name), 'it is not a name that an HTTP header can have')

const errorFields = strictObject({
  message: z.string().optional(),
  type: z.string().optional(),
  code: z.union([z.string(), z.number(), z.null()]).optional(),
  param: z.string().nullable().optional(),
})

const fault: z.ZodType<Fault> = strictObject({
  do: z.enum(['reset', 'close', 'end', 'stall', 'error_event', 'malformed_event', 'malformed_text', 'bad_checksum']),
  afterEvents: z.int().min(0).optional(),
  afterBytes: z.int().min(0).optional(),
  error: errorFields.optional(),
  goOn: z.boolean().optional(),
  bare: z.boolean().optional(),
}).check(({ value, issues }) => {
  const complain = (key: string, message: string) => issues.push({ code: 'custom', input: value, path: [key], message })
  const onEvents = value.do === 'error_event' || value.do === 'bad_checksum' || value.do.startsWith('malformed')
  if (value.afterBytes !== undefined && value.afterEvents !== undefined) {
    complain('afterBytes', 'afterEvents is given too; only one of them can say when')
  }
  if (value.afterBytes !== undefined && onEvents) {
    complain('afterBytes', `'${value.do}' is about whole events; say when with afterEvents`)
  }
  if (value.do !== 'error_event') {
    for (const key of ['error', 'goOn', 'bare'] as const) {
      if (value[key] !== undefined) complain(key, `only 'error_event' takes it, and do is '${value.do}'`)
    }
  }
})

const chunk: z.ZodType<Chunk> = strictObject({
  text: z.string().optional(),
  b64: z.base64().optional(),
  delay_ms: ms.optional(),
  repeat: count.optional(),
  every_ms: ms.optional(),
  then: z.enum(['end', 'reset', 'stall']).optional(),
}).refine(({ text, b64 }) => text === undefined || b64 === undefined, {
  path: ['b64'],
  error: 'text is given too; only one of them can be the bytes',
})

const answer: z.ZodType<Answer> = strictObject({
  text: z.union([z.string(), z.array(z.string())]).optional(),
  reasoning: z.array(z.string()).optional(),
  refusal: z.string().optional(),
  toolCalls: z.array(strictObject({
    id: z.string().optional(),
    name: z.string(),
    arguments: z.union([z.string(), jsonObject]),
    pieces: z.array(z.string()).optional(),
  })).optional(),
  finishReason: z.string().optional(),
  usage: z.union([z.literal('always'), z.literal(false), jsonObject]).optional(),
  model: z.string().optional(),
})

const awsKeys: z.ZodType<AwsKeys> = strictObject({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string().optional(),
})

const bodies = ['answer', 'body', 'html', 'error', 'empty', 'chunks'] as const

const step: z.ZodType<Step> = strictObject({
  times: count.optional(),
  forMs: count.optional(),
  status: z.int().min(200).max(599).optional(),
  headers: z.record(headerName, z.union([headerText, z.number(), z.array(headerText)])).optional(),
  connect: z.enum(['accept_stall', 'reset_before_headers', 'reset_after_headers'], {
    error: ({ input }) => (input === 'refused'
      ? 'a listening port cannot refuse one model; point the client at the URL that refusedUrl() gives'
      : undefined),
  }).optional(),
  fault: fault.optional(),
  strict: z.boolean().optional(),
  apiKey: z.string().optional(),
  aws: awsKeys.optional(),
  refuseTrailingAssistant: z.boolean().optional(),
  answer: answer.optional(),
  body: json.optional(),
  html: z.literal(true).optional(),
  error: errorFields.optional(),
  empty: z.enum(['bytes', 'done_only', 'no_choices', 'no_content']).optional(),
  chunks: z.array(chunk).min(1).optional(),
  number_chunks: z.boolean().optional(),
  delayMs: ms.optional(),
  headersFirst: z.boolean().optional(),
  firstEventDelayMs: ms.optional(),
  eventDelayMs: ms.optional(),
  trickle: strictObject({ bytes: count, everyMs: ms }).optional(),
  done: z.union([z.literal(0), z.literal(1), z.literal(2)]).optional(),
  duplicateFinish: z.boolean().optional(),
  lateText: z.string().optional(),
  comments: z.enum(['before', 'between']).optional(),
  prefixJunk: z.array(z.string()).optional(),
  jsonForStream: z.boolean().optional(),
  streamForJson: z.boolean().optional(),
  contentType: z.string().optional(),
  lineEnd: z.enum(['\n', '\r\n', '\r']).optional(),
  bom: z.boolean().optional(),
  writeSize: count.optional(),
  compress: z.enum(['gzip', 'deflate', 'br']).optional(),
}).check(({ value, issues }) => {
  const complain = (key: keyof Step, message: string) =>
    issues.push({ code: 'custom', input: value, path: [key], message })
  const given = bodies.filter((key) => value[key] !== undefined)
  const [first, second] = given
  if (first !== undefined && second !== undefined) {
    complain(second, `${first} is given too; only one of ${bodies.join(', ')} can be the body`)
  }
  if (value.times !== undefined && value.forMs !== undefined) complain('forMs', 'times is given too; take one of them')
  if (value.trickle !== undefined && value.writeSize !== undefined) {
    complain('trickle', 'writeSize is given too; trickle.bytes is the size of a write')
  }
  if (value.jsonForStream === true && value.streamForJson === true) {
    complain('streamForJson', 'jsonForStream is given too; take one of them')
  }
  if (value.number_chunks === true && value.chunks === undefined) {
    complain('number_chunks', 'it numbers chunks; give some')
  }
})

const script: z.ZodType<Script> = strictObject({
  models: z.record(z.string(), z.array(step).min(1)).optional(),
  fallback: step.optional(),
  apiKey: z.string().optional(),
  aws: awsKeys.optional(),
  strict: z.boolean().optional(),
})

/**
 * Checks a script, as it comes out of a JSON file or from code. Throws a `ScriptError` that names every key that is
 * wrong, what came and what would be right.
 */
export function parseScript(input: unknown): Script {
  const result = script.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  throw new ScriptError(describeIssues(result.error.issues))
}
