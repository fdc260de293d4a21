import type { ErrorFields, Json } from '../script.js'
import type { DialectError, RefusalReason, RefusalRules } from './dialect.js'
import { field } from './field.js'
import { contentsFault } from './gemini-contents.js'

/** Every field that the vendor's reference documents for a request, and for its `generationConfig`. */
const knownFields = new Set([
  'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'safetySettings', 'cachedContent', 'labels', 'store',
  'serviceTier',
])
const knownConfig = new Set([
  'temperature', 'topP', 'topK', 'maxOutputTokens', 'stopSequences', 'candidateCount', 'seed', 'presencePenalty', 'frequencyPenalty',
  'responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities', 'responseLogprobs', 'logprobs', 'speechConfig',
  'thinkingConfig', 'imageConfig', 'mediaResolution', 'enableEnhancedCivicAnswers',
])

interface Usual {
  readonly status: string
  readonly message: string
}

/** https://ai.google.dev/gemini-api/docs/troubleshooting */
const usualByStatus: Readonly<Record<number, Usual>> = {
  401: { status: 'UNAUTHENTICATED', message: 'Request had invalid authentication credentials.' },
  403: { status: 'PERMISSION_DENIED', message: 'The caller does not have permission' },
  404: { status: 'NOT_FOUND', message: 'Requested entity was not found.' },
  429: { status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota.' },
  503: { status: 'UNAVAILABLE', message: 'The model is overloaded. Please try again later.' },
  504: { status: 'DEADLINE_EXCEEDED', message: 'Deadline expired before operation could complete.' },
}

const usualClientError: Usual = { status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' }
const usualServerError: Usual = { status: 'INTERNAL', message: 'An internal error has occurred.' }

/** The vendor's envelope: what a script gives, over what the vendor usually says with that status. */
export function encodeGeminiError(status: number, fields: ErrorFields = {}): Json {
  const usual = usualByStatus[status] ?? (status < 500 ? usualClientError : usualServerError)
  const { message = usual.message, type = usual.status, code } = fields
  const details = typeof code === 'string' ? { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code }] } : {}
  return { error: { code: typeof code === 'number' ? code : status, message, status: type, ...details } }
}

/** The same envelope in the middle of a stream, where the vendor writes it as it is. */
export function encodeGeminiErrorEvent(fields?: ErrorFields): string {
  return `${JSON.stringify(encodeGeminiError(500, fields))}\n\n`
}

/** A request that does not get as far as its script. */
export function geminiRefusal(reason: RefusalReason, detail: string): DialectError {
  const answer = (status: number, fields: ErrorFields) => ({ status, body: encodeGeminiError(status, fields) })
  switch (reason) {
    case 'unknown_path':
      return answer(404, {})
    case 'no_key':
      return answer(403, { message: 'Method doesn\'t allow unregistered callers.' })
    case 'wrong_key':
      return answer(400, { message: 'API key not valid. Please pass a valid API key.', code: 'API_KEY_INVALID' })
    case 'unknown_model':
      return answer(404, { message: `models/${detail} is not found for API version v1beta.` })
    case 'no_model':
      return answer(400, { message: 'model is required' })
    case 'not_json':
      return answer(400, { message: `Invalid JSON payload received. ${detail}`.trim() })
  }
}

/** What the vendor would say to a body that is JSON but not what it takes. */
export function refuseGemini(
  body: unknown,
  { strict, refuseTrailingAssistant }: Pick<RefusalRules, 'strict' | 'refuseTrailingAssistant'>,
): DialectError | undefined {
  const contents = field(body, 'contents')
  const trailing = refuseTrailingAssistant && Array.isArray(contents) && field(contents.at(-1), 'role') === 'model'
  const fault = strict ? bodyFault(body) : undefined
  const message = fault ?? (trailing ? 'Please ensure that the conversation ends with a user role.' : undefined)
  return message === undefined ? undefined : { status: 400, body: encodeGeminiError(400, { message }) }
}

function bodyFault(body: unknown): string | undefined {
  const config = field(body, 'generationConfig') ?? {}
  const unknown = unknownName(body, knownFields) ?? unknownName(config, knownConfig)
  if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`
  const temperature = field(config, 'temperature')
  if (typeof temperature === 'number' && (temperature < 0 || temperature > 2)) return 'temperature must be in the range [0.0, 2.0].'
  const sequences = field(config, 'stopSequences')
  if (Array.isArray(sequences) && sequences.length > 5) return 'stopSequences must have at most 5 sequences.'
  const calling = field(field(body, 'toolConfig'), 'functionCallingConfig')
  if (calling !== undefined && field(body, 'tools') === undefined) return 'Function calling config is set without function_declarations.'
  if (field(calling, 'allowedFunctionNames') !== undefined && !['ANY', 'VALIDATED'].includes(String(field(calling, 'mode')))) {
    return 'Allowed function names should only be set when function calling mode is ANY or VALIDATED.'
  }
  return contentsFault(field(body, 'contents'))
}

function unknownName(value: unknown, known: ReadonlySet<string>): string | undefined {
  return typeof value === 'object' && value !== null ? Object.keys(value).find((key) => !known.has(key)) : undefined
}
