import { decoded, readBearer } from './bedrock.js'
import type { CallerRules, Dialect, DialectError, DialectRequest, Surface } from './dialect.js'
import { embedVertex } from './embeddings.js'
import { encodeGeminiError } from './gemini-errors.js'
import { gemini } from './gemini.js'

const contentPath =
  /^\/v1(?:beta1)?\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/(.+):(generateContent|streamGenerateContent)$/
const predictPath = /^\/v1(?:beta1)?\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/(.+):predict$/

/** Gemini on Vertex AI: the same words at other paths, for whoever has a token of Google's. */
export const vertex: Dialect = {
  ...gemini,
  name: 'vertex',
  readSurface,
  embedWith: () => embedVertex,
  readKey: readBearer,
  refuseCaller: refuseVertexCaller,
}

function readSurface({ method, path }: DialectRequest): Surface | undefined {
  const [, embedding] = (method === 'POST' ? predictPath.exec(path) : undefined) ?? []
  if (embedding !== undefined) return { kind: 'embeddings', model: decoded(embedding) }
  const [, model, how] = (method === 'POST' ? contentPath.exec(path) : undefined) ?? []
  return model === undefined ? undefined : { kind: 'chat', model: decoded(model), stream: how === 'streamGenerateContent' }
}

/** Why the caller is not let in: it has no token, or another one. */
export function refuseVertexCaller(request: DialectRequest, { apiKey, strict }: CallerRules): DialectError | undefined {
  const token = readBearer(request)
  const isRight = apiKey === undefined ? token !== undefined || !strict : token === apiKey
  return isRight ? undefined : { status: 401, body: encodeGeminiError(401) }
}
