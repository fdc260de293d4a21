import { encodeEvent } from '@understudy/sse'
import type { ErrorFields } from '../script.js'
import type { DialectError, RefusalRules } from './dialect.js'
import { field } from './field.js'
import { encodeOpenaiError, openaiSchemaFault } from './openai-errors.js'
import { itemsFault } from './responses-items.js'

/** Every field that the vendor's reference documents for a response. */
const knownFields = new Set([
  'background', 'context_management', 'conversation', 'include', 'input', 'instructions', 'max_output_tokens', 'max_tool_calls', 'metadata',
  'model', 'parallel_tool_calls', 'previous_response_id', 'prompt', 'prompt_cache_key', 'prompt_cache_retention', 'reasoning',
  'safety_identifier', 'service_tier', 'store', 'stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs',
  'top_p', 'truncation', 'user',
])

const leastOutputTokens = 16

/** What ends a stream that fails. The reference has the members of the error flat; the service sends them as an object. */
export function encodeResponsesErrorEvent(fields: ErrorFields = {}): string {
  const { message = 'The server had an error processing your request.', type = 'server_error', code = 'server_error' } = fields
  const error = { type, code, message, param: fields.param ?? null }
  return encodeEvent({ event: 'error', data: JSON.stringify({ type: 'error', error, sequence_number: 0 }) })
}

/** What the vendor would say to a body that is JSON but not what it takes. */
export function refuseResponses(
  body: unknown,
  { strict, refuseTrailingAssistant }: Pick<RefusalRules, 'strict' | 'refuseTrailingAssistant'>,
): DialectError | undefined {
  const input = field(body, 'input')
  const trailing = refuseTrailingAssistant && Array.isArray(input) && field(input.at(-1), 'role') === 'assistant'
  const fault = (strict ? bodyFault(body) : undefined) ?? (trailing ? noPrefill : undefined)
  return fault === undefined ? undefined : { status: 400, body: encodeOpenaiError(400, fault) }
}

const noPrefill: ErrorFields = {
  message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
}

function bodyFault(body: unknown): ErrorFields | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const unknown = Object.keys(body).find((key) => !knownFields.has(key))
  if (unknown !== undefined) return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' }
  const most = field(body, 'max_output_tokens')
  if (typeof most === 'number' && most < leastOutputTokens) {
    return {
      message: `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${leastOutputTokens}, but got ${most} instead.`,
      param: 'max_output_tokens',
      code: 'integer_below_min_value',
    }
  }
  const choice = field(body, 'tool_choice')
  if ((choice === 'required' || typeof choice === 'object') && choice !== null && !hasTools(body)) {
    return { message: "Tool choices other than 'auto' must be used together with tools.", param: 'tool_choice' }
  }
  const goesOn = ['previous_response_id', 'conversation', 'prompt'].some((key) => field(body, key) !== undefined)
  const schemaFault = openaiSchemaFault(field(field(body, 'text'), 'format'), field(body, 'tools'), undefined)
  return schemaFault ?? toolsFault(field(body, 'tools')) ?? itemsFault(field(body, 'input'), goesOn)
}

function hasTools(body: unknown): boolean {
  const tools = field(body, 'tools')
  return Array.isArray(tools) && tools.length > 0
}

/** A function is described flat here, and says whether it is strict. */
function toolsFault(tools: unknown): ErrorFields | undefined {
  if (!Array.isArray(tools)) return undefined
  const index = (tools as readonly unknown[]).findIndex((tool) => field(tool, 'type') === 'function' && field(tool, 'name') === undefined)
  if (index === -1) return undefined
  const param = `tools[${index}].name`
  return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' }
}
