import { anthropic } from './anthropic.js'
import { refuseAnthropic } from './anthropic-errors.js'
import { bedrockErrorHeaders, bedrockRefusal, encodeBedrockError, encodeBedrockErrorEvent, refuseBedrockCaller } from './bedrock-errors.js'
import { bedrock, decoded, readBearer } from './bedrock.js'
import type { Dialect, DialectError, DialectRequest, RefusalRules, Surface } from './dialect.js'
import { field } from './field.js'
import { refuseVertexCaller } from './vertex.js'

const invokePath = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream)$/
const predictPath = /^\/v1(?:beta1)?\/projects\/[^/]+\/locations\/[^/]+\/publishers\/anthropic\/models\/([^/]+):(rawPredict|streamRawPredict)$/

/** Anthropic Messages on Amazon Bedrock's InvokeModel: a stream's events in chunks of frames. */
export const anthropicOnBedrock: Dialect = {
  ...anthropic,
  name: 'anthropic on bedrock',
  streamContentType: bedrock.streamContentType,
  framing: {
    payloadOf: (_name, data) => ({
      name: 'chunk',
      text: JSON.stringify({ bytes: Buffer.from(data, 'utf8').toString('base64'), p: 'abcdefghijkl' }),
    }),
  },
  readSurface: (request) => surfaceOf(request, invokePath, 'invoke-with-response-stream'),
  readKey: readBearer,
  refuseCaller: refuseBedrockCaller,
  encodeError: encodeBedrockError,
  errorHeaders: bedrockErrorHeaders,
  encodeErrorEvent: encodeBedrockErrorEvent,
  refuse: (body, rules) => {
    const refused = refuseHosted(body, rules, 'bedrock-2023-05-31', ['model', 'stream'])
    return refused === undefined ? undefined : { ...refused, ...inAws(refused) }
  },
  refusal: bedrockRefusal,
}

/** Anthropic Messages on Vertex AI. */
export const anthropicOnVertex: Dialect = {
  ...anthropic,
  name: 'anthropic on vertex',
  readSurface: (request) => surfaceOf(request, predictPath, 'streamRawPredict'),
  readKey: readBearer,
  refuseCaller: refuseVertexCaller,
  refuse: (body, rules) => refuseHosted(body, rules, 'vertex-2023-10-16', ['model']),
}

function surfaceOf({ method, path }: DialectRequest, pattern: RegExp, streamed: string): Surface | undefined {
  const [, model, how] = (method === 'POST' ? pattern.exec(path) : undefined) ?? []
  return model === undefined ? undefined : { kind: 'chat', model: decoded(model), stream: how === streamed }
}

/** What the vendor itself would say, and what its host wants beside it: the version in the body, and nothing there that the path says. */
function refuseHosted(body: unknown, rules: RefusalRules, version: string, inPath: readonly string[]): DialectError | undefined {
  const said = rules.strict ? inPath.find((key) => field(body, key) !== undefined) : undefined
  const fault = said === undefined ? undefined : `${said}: Extra inputs are not permitted`
  const wrong = fault ?? (rules.strict && field(body, 'anthropic_version') !== version ? 'anthropic_version: Field required' : undefined)
  if (wrong !== undefined) return { status: 400, body: anthropic.encodeError(400, { message: wrong }) }
  const plain = typeof body === 'object' && body !== null
    ? Object.fromEntries(Object.entries(body).filter(([key]) => key !== 'anthropic_version' && key !== 'anthropic_beta'))
    : body
  return refuseAnthropic(plain, { ...rules, headers: { ...rules.headers, 'anthropic-version': version } })
}

function inAws({ status, body }: DialectError): Pick<DialectError, 'body' | 'headers'> {
  const message = field(field(body, 'error'), 'message')
  const fields = typeof message === 'string' ? { message } : {}
  return { body: encodeBedrockError(status, fields), headers: bedrockErrorHeaders(status, fields) }
}
