import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from '@understudy/core'
import { defined, omit } from '../read-json.js'
import { createRefuse } from '../untranslatable.js'
import type { Refuse } from '../untranslatable.js'
import { encodeThinking } from './encode-thinking.js'
import { encodeTurns } from './encode-turns.js'
import { traitsOf, type ModelTraits } from './models.js'
import { withNative, withStorage } from './native.js'

type Wire = Record<string, unknown>

/** https://ai.google.dev/api/generate-content#v1beta.GenerationConfig */
const MAX_STOP_SEQUENCES = 5
const MAX_CANDIDATES = 8

/** Where `decodeRequest` reads what the API says in the path. */
const SAID_IN_PATH: ReadonlySet<string> = new Set(['model', 'stream'])

/**
 * A body that asks for what the request asks. Which model is asked, and whether for a stream, the API says in the path: neither stands in
 * the body. A body of this dialect is said again as it was.
 *
 * https://ai.google.dev/api/generate-content
 */
export function encodeRequest(request: ChatRequest, model: string): Wire {
  const refuse = createRefuse(request, 'gemini')
  const own = request.dialect === 'gemini' ? request.body : undefined
  if (own !== undefined) return omit(own, SAID_IN_PATH)

  const [unsaid] = request.unsaid ?? []
  if (unsaid !== undefined) refuse(unsaid)
  const traits = traitsOf(model)
  const { native } = request
  const { systemInstruction, contents } = encodeTurns(native === undefined ? request.messages : request.messages.map(withStorage), {
    isOwn: request.dialect === 'gemini',
    isFromCode: request.dialect === undefined,
    needsSignatures: traits.needsSignatures,
    refuse,
  })
  const generationConfig = encodeConfig(request, traits, refuse)
  const body = defined<Wire>({
    contents,
    systemInstruction,
    ...encodeTools(request, refuse),
    generationConfig: Object.keys(generationConfig).length === 0 ? undefined : generationConfig,
  })
  return native === undefined ? body : withNative(body, native)
}

function encodeConfig(request: ChatRequest, traits: ModelTraits, refuse: Refuse): Wire {
  const { maxTokens, stop, choices, responseFormat, tools = [] } = request
  if ((stop?.length ?? 0) > MAX_STOP_SEQUENCES) refuse('stop')
  if ((choices ?? 1) > MAX_CANDIDATES) refuse('n')
  if (responseFormat !== undefined && tools.length > 0 && !traits.takesToolsWithJson) refuse('response_format-and-tools')
  return defined<Wire>({
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    maxOutputTokens: maxTokens === undefined ? undefined : Math.min(maxTokens, traits.maxTokens),
    stopSequences: stop,
    candidateCount: choices,
    seed: request.seed,
    // A model that takes no penalties refuses a 0 as well.
    presencePenalty: request.presencePenalty === 0 ? undefined : request.presencePenalty,
    frequencyPenalty: request.frequencyPenalty === 0 ? undefined : request.frequencyPenalty,
    ...encodeFormat(responseFormat),
    thinkingConfig: encodeThinking(request, traits.thinking),
  })
}

/** https://ai.google.dev/gemini-api/docs/structured-output: a schema always binds. */
function encodeFormat(format: ResponseFormat | undefined): Wire {
  if (format === undefined) return {}
  const json = { responseMimeType: 'application/json' }
  return format.type === 'json' ? json : { ...json, responseJsonSchema: format.schema }
}

/** There is nothing that keeps the model from making several calls. */
function encodeTools({ tools = [], toolChoice, parallelToolCalls }: ChatRequest, refuse: Refuse): Wire {
  if (tools.length === 0) return {}
  if (parallelToolCalls === false && toolChoice !== 'none') refuse('parallel_tool_calls')
  const config = choiceOf(toolChoice, tools.some(({ strict }) => strict === true))
  return defined({
    tools: [{ functionDeclarations: tools.map(encodeTool) }],
    toolConfig: config === undefined ? undefined : { functionCallingConfig: config },
  })
}

function encodeTool({ name, description, parameters }: Tool): Wire {
  return defined({ name, description, parametersJsonSchema: parameters })
}

/** `ANY` and `VALIDATED` hold the model to the schemas. https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes */
function choiceOf(choice: ToolChoice | undefined, isStrict: boolean): Wire | undefined {
  switch (choice) {
    case undefined:
      return isStrict ? { mode: 'VALIDATED' } : undefined
    case 'auto':
      return { mode: isStrict ? 'VALIDATED' : 'AUTO' }
    case 'none':
      return { mode: 'NONE' }
    case 'required':
      return { mode: 'ANY' }
    default:
      return { mode: 'ANY', allowedFunctionNames: [choice.name] }
  }
}
