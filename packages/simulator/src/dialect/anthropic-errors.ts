import { encodeEvent } from '@understudy/sse'
import type { ErrorFields, Json } from '../script.js'
import { turnFault } from './anthropic-turns.js'
import type { DialectError, RefusalReason, RefusalRules } from './dialect.js'
import { field } from './field.js'
import { closedSchemaFault } from './schema-rules.js'

/** Every field that the vendor's reference documents for a message. */
const knownFields = new Set([
  'model', 'messages', 'max_tokens', 'cache_control', 'container', 'context_management', 'diagnostics', 'inference_geo',
  'mcp_servers', 'metadata', 'output_config', 'service_tier', 'speed', 'stop_sequences', 'stream', 'system', 'temperature',
  'thinking', 'tool_choice', 'tools', 'top_k', 'top_p',
])

interface Usual {
  readonly type: string
  readonly message: string
}

/** https://platform.claude.com/docs/en/api/errors */
const usualByStatus: Readonly<Record<number, Usual>> = {
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  402: { type: 'billing_error', message: 'There is an issue with your billing or payment information.' },
  403: { type: 'permission_error', message: 'Your API key does not have permission to use the specified resource.' },
  404: { type: 'not_found_error', message: 'The requested resource was not found.' },
  413: { type: 'request_too_large', message: 'Request exceeds the maximum size' },
  429: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
  504: { type: 'timeout_error', message: 'The request timed out.' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
}

const usualClientError: Usual = { type: 'invalid_request_error', message: 'The request is not valid.' }
const usualServerError: Usual = { type: 'api_error', message: 'Internal server error' }

/** The vendor's envelope: what a script gives, over what the vendor usually says with that status. */
export function encodeAnthropicError(status: number, fields: ErrorFields = {}): Json {
  const usual = usualByStatus[status] ?? (status < 500 ? usualClientError : usualServerError)
  const details = fields.code === undefined || fields.code === null ? {} : { details: { error_code: fields.code } }
  return {
    type: 'error',
    error: { type: fields.type ?? usual.type, message: fields.message ?? usual.message, ...details },
    request_id: 'req_simulator',
  }
}

/** The same envelope in the middle of a stream. */
export function encodeAnthropicErrorEvent(fields?: ErrorFields): string {
  return encodeEvent({ event: 'error', data: JSON.stringify(encodeAnthropicError(500, fields)) })
}

/** A request that does not get as far as its script. */
export function anthropicRefusal(reason: RefusalReason, detail: string): DialectError {
  const answer = (status: number, fields: ErrorFields) => ({ status, body: encodeAnthropicError(status, fields) })
  switch (reason) {
    case 'unknown_path':
      return answer(404, { message: 'Not found' })
    case 'no_key':
      return answer(401, { message: 'x-api-key header is required' })
    case 'wrong_key':
      return answer(401, {})
    case 'unknown_model':
      return answer(404, { message: `model: ${detail}` })
    case 'no_model':
      return answer(400, { message: 'model: Field required' })
    case 'not_json':
      return answer(400, { message: `The request body is not valid JSON: ${detail}`.trim() })
  }
}

/** What the vendor would say to a body that is JSON but not what it takes. */
export function refuseAnthropic(body: unknown, { strict, refuseTrailingAssistant, headers }: RefusalRules): DialectError | undefined {
  const messages = field(body, 'messages')
  const fault = strict ? (headers['anthropic-version'] === undefined ? noVersion : bodyFault(body)) : undefined
  const trailing = refuseTrailingAssistant && Array.isArray(messages) && field(messages.at(-1), 'role') === 'assistant'
  const message = fault ?? (trailing
    ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
    : undefined)
  return message === undefined ? undefined : { status: 400, body: encodeAnthropicError(400, { message }) }
}

const noVersion = 'anthropic-version: header is required'

function bodyFault(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const unknown = Object.keys(body).find((key) => !knownFields.has(key))
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`
  const maxTokens = field(body, 'max_tokens')
  if (typeof maxTokens !== 'number') return 'max_tokens: Field required'
  const temperature = field(body, 'temperature')
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 1)) return 'temperature: range: 0..1'
  const budget = field(field(body, 'thinking'), 'budget_tokens')
  if (typeof budget === 'number' && (budget < 1024 || budget >= maxTokens)) {
    return '`max_tokens` must be greater than `thinking.budget_tokens`'
  }
  if (field(body, 'tool_choice') !== undefined && field(body, 'tools') === undefined) {
    return 'tool_choice: may only be specified while providing tools'
  }
  return schemaFault(body) ?? turnFault(field(body, 'messages'), field(field(body, 'thinking'), 'type') === 'enabled')
}

/** What is wrong with a schema that the model is held to. */
function schemaFault(body: object): string | undefined {
  const fault = closedSchemaFault(field(field(field(body, 'output_config'), 'format'), 'schema'))
  if (fault !== undefined) return `output_config.format.schema: ${fault}`
  const tools = field(body, 'tools')
  for (const [index, tool] of Array.isArray(tools) ? (tools as readonly unknown[]).entries() : []) {
    const wrong = field(tool, 'strict') === true ? closedSchemaFault(field(tool, 'input_schema')) : undefined
    if (wrong !== undefined) return `tools.${index}.custom: ${wrong}`
  }
  return undefined
}
