import { encodeEvent } from '@understudy/sse'
import type { ErrorFields, Json } from '../script.js'
import type { DialectError, RefusalReason, RefusalRules } from './dialect.js'
import { field } from './field.js'
import { strictSchemaFault } from './schema-rules.js'

/** Every field that the vendor's reference documents for a chat completion. */
const knownFields = new Set([
  'messages', 'model', 'audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs',
  'max_completion_tokens', 'max_tokens', 'metadata', 'modalities', 'n', 'parallel_tool_calls', 'prediction',
  'presence_penalty', 'prompt_cache_key', 'prompt_cache_retention', 'reasoning_effort', 'response_format',
  'safety_identifier', 'seed', 'service_tier', 'stop', 'store', 'stream', 'stream_options', 'temperature',
  'tool_choice', 'tools', 'top_logprobs', 'top_p', 'user', 'verbosity', 'web_search_options',
])

interface Usual {
  readonly type: string
  readonly code: string | null
  readonly message: string
}

const usualByStatus: Readonly<Record<number, Usual>> = {
  401: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided.' },
  403: { type: 'invalid_request_error', code: 'forbidden', message: 'You are not allowed to do this.' },
  404: { type: 'invalid_request_error', code: 'model_not_found', message: 'The model does not exist.' },
  429: { type: 'requests', code: 'rate_limit_exceeded', message: 'Rate limit reached.' },
  503: { type: 'server_error', code: 'overloaded', message: 'The server is overloaded. Please try again later.' },
}

const usualClientError: Usual = { type: 'invalid_request_error', code: null, message: 'The request is not valid.' }
const usualServerError: Usual = {
  type: 'server_error',
  code: null,
  message: 'The server had an error while processing your request. Sorry about that!',
}

/** The vendor's envelope: what a script gives, over what the vendor usually says with that status. */
export function encodeOpenaiError(status: number, fields: ErrorFields = {}): Json {
  const usual = usualByStatus[status] ?? (status < 500 ? usualClientError : usualServerError)
  return {
    error: {
      message: fields.message ?? usual.message,
      type: fields.type ?? usual.type,
      param: fields.param ?? null,
      code: fields.code === undefined ? usual.code : fields.code,
    },
  }
}

/** The same envelope in the middle of a stream. */
export function encodeOpenaiErrorEvent(fields?: ErrorFields): string {
  return encodeEvent({ data: JSON.stringify(encodeOpenaiError(500, fields)) })
}

/** A request that does not get as far as its script. */
export function openaiRefusal(reason: RefusalReason, detail: string): DialectError {
  const answer = (status: number, fields: ErrorFields) => ({ status, body: encodeOpenaiError(status, fields) })
  switch (reason) {
    case 'unknown_path':
      return answer(404, { message: `Invalid URL (${detail})`, code: null })
    case 'no_key':
      return answer(401, { message: 'You did not provide an API key.', code: null })
    case 'wrong_key':
      return answer(401, {})
    case 'unknown_model':
      return answer(404, { message: `The model \`${detail}\` does not exist or you do not have access to it.` })
    case 'no_model':
      return answer(400, { message: 'You must provide a model parameter.', param: 'model' })
    case 'not_json':
      return answer(400, { message: `We could not parse the JSON body of your request. ${detail}`.trim() })
  }
}

/** What the vendor would say to a body that is JSON but not what it takes. */
export function refuseOpenai(
  body: unknown,
  { strict, refuseTrailingAssistant }: Pick<RefusalRules, 'strict' | 'refuseTrailingAssistant'>,
): DialectError | undefined {
  const refuse = (fields: ErrorFields) => ({ status: 400, body: encodeOpenaiError(400, fields) })
  const messages = field(body, 'messages')
  if (strict && typeof body === 'object' && body !== null) {
    const unknown = Object.keys(body).find((key) => !knownFields.has(key))
    if (unknown !== undefined) {
      return refuse({ message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' })
    }
    if (!Array.isArray(messages)) {
      return refuse({
        message: "Missing required parameter: 'messages'.",
        param: 'messages',
        code: 'missing_required_parameter',
      })
    }
    const fault = openaiSchemaFault(field(field(body, 'response_format'), 'json_schema'), field(body, 'tools'), 'function')
    if (fault !== undefined) return refuse(fault)
  }
  if (refuseTrailingAssistant && Array.isArray(messages) && field(messages.at(-1), 'role') === 'assistant') {
    return refuse({
      message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    })
  }
  return undefined
}

/**
 * What is wrong with the schemas that the model is held to: of the answer (`format` has `strict` and `schema`) and of the functions, whose
 * members stand in `within` or, where there is none, in the tool itself.
 */
export function openaiSchemaFault(format: unknown, tools: unknown, within: string | undefined): ErrorFields | undefined {
  const functions = (Array.isArray(tools) ? (tools as readonly unknown[]) : []).map((tool) => (within === undefined ? tool : field(tool, within)))
  const held = [
    ...(field(format, 'strict') === true ? [['response_format', field(format, 'name'), field(format, 'schema')] as const] : []),
    ...functions.filter((tool) => field(tool, 'strict') === true).map((tool) => ['function', field(tool, 'name'), field(tool, 'parameters')] as const),
  ]
  for (const [of, name, schema] of held) {
    const fault = strictSchemaFault(schema)
    if (fault !== undefined) return { message: `Invalid schema for ${of} '${String(name)}': In context=(), ${fault}`, code: 'invalid_schema' }
  }
  return undefined
}
