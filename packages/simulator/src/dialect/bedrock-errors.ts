import { encodeEvent } from '@understudy/sse'
import { signatureFault } from '../aws-signature.js'
import type { ErrorFields, Json } from '../script.js'
import { converseFault } from './bedrock-turns.js'
import type { CallerRules, DialectError, DialectRequest, RefusalReason, RefusalRules } from './dialect.js'
import { field } from './field.js'

interface Usual {
  readonly type: string
  readonly message: string
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html */
const usualByStatus: Readonly<Record<number, Usual>> = {
  403: { type: 'AccessDeniedException', message: 'You don\'t have access to the model with the specified model ID.' },
  404: { type: 'ResourceNotFoundException', message: 'The specified resource ARN was not found.' },
  408: { type: 'ModelTimeoutException', message: 'The request took too long to process.' },
  424: { type: 'ModelErrorException', message: 'The request failed due to an error while processing the model.' },
  429: { type: 'ThrottlingException', message: 'Too many requests, please wait before trying again.' },
  503: { type: 'ServiceUnavailableException', message: 'The service isn\'t currently available.' },
}

const usualClientError: Usual = { type: 'ValidationException', message: 'The input fails to satisfy the constraints.' }
const usualServerError: Usual = { type: 'InternalServerException', message: 'An internal server error occurred.' }

function usualOf(status: number): Usual {
  return usualByStatus[status] ?? (status < 500 ? usualClientError : usualServerError)
}

/** The vendor's body, which says nothing but a message: what a script gives, over what the vendor usually says. */
export function encodeBedrockError(status: number, fields: ErrorFields = {}): Json {
  return { message: fields.message ?? usualOf(status).message }
}

/** The name of an error stands beside its body. */
export function bedrockErrorHeaders(status: number, fields: ErrorFields = {}): Readonly<Record<string, string>> {
  const type = fields.type ?? usualOf(status).type
  return { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` }
}

/** An exception in the middle of a stream, where names begin small. */
export function encodeBedrockErrorEvent({ type = usualServerError.type, message = usualServerError.message }: ErrorFields = {}): string {
  const name = type.replace(/^./, (letter) => letter.toLowerCase())
  return encodeEvent({ event: name.endsWith('Exception') ? name : `${name}Exception`, data: JSON.stringify({ message }) })
}

function answer(status: number, fields: ErrorFields = {}): DialectError {
  return { status, body: encodeBedrockError(status, fields), headers: bedrockErrorHeaders(status, fields) }
}

/** A request that does not get as far as its script. */
export function bedrockRefusal(reason: RefusalReason, detail: string): DialectError {
  switch (reason) {
    case 'unknown_path':
      return answer(404, { type: 'UnknownOperationException', message: 'No such operation.' })
    case 'no_key':
      return answer(403, { type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' })
    case 'wrong_key':
      return answer(403, { message: 'Authentication failed: Please make sure your API Key is valid.' })
    case 'unknown_model':
      return answer(400, { message: 'The provided model identifier is invalid.' })
    case 'no_model':
      return answer(400, { message: 'modelId: must not be empty' })
    case 'not_json':
      return answer(400, { type: 'SerializationException', message: detail })
  }
}

/** Why the caller is not let in: a signature made anew differs, a key is another one, or there is neither. */
export function refuseBedrockCaller(request: DialectRequest, { apiKey, aws, strict, now }: CallerRules): DialectError | undefined {
  const authorization = request.headers['authorization']
  if (authorization?.startsWith('AWS4-') === true) {
    if (aws === undefined) return apiKey === undefined ? undefined : bedrockRefusal('wrong_key', '')
    const fault = signatureFault({ ...request, now }, aws)
    return fault === undefined ? undefined : answer(403, fault)
  }
  const key = /^bearer\s+(.*)$/i.exec(authorization ?? '')?.[1]
  if (key === undefined) return apiKey === undefined && aws === undefined && !strict ? undefined : bedrockRefusal('no_key', '')
  if (apiKey === undefined) return aws === undefined ? undefined : bedrockRefusal('wrong_key', '')
  return key === apiKey ? undefined : bedrockRefusal('wrong_key', '')
}

/** What the vendor would say to a body that is JSON but not what it takes. */
export function refuseBedrock(body: unknown, { strict, refuseTrailingAssistant }: RefusalRules): DialectError | undefined {
  const messages = field(body, 'messages')
  const fault = strict ? converseFault(body) : undefined
  const trailing = refuseTrailingAssistant && Array.isArray(messages) && field(messages.at(-1), 'role') === 'assistant'
  const message = fault ?? (trailing
    ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
    : undefined)
  return message === undefined ? undefined : answer(400, { message })
}
