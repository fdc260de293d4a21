import type { ChatRequest, ResponseFormat, Tool, ToolChoice } from '@understudy/core'
import { encodeParameters, encodeStop, refuseUnsaid } from '../anthropic/encode-request.js'
import { closedSchema } from '../closed-schema.js'
import { defined } from '../read-json.js'
import { createRefuse } from '../untranslatable.js'
import type { Refuse } from '../untranslatable.js'
import { CACHE_POINT, cachePlacesOf } from './cache-points.js'
import type { BlockContext } from './content-blocks.js'
import { encodeTurns } from './encode-turns.js'
import { encodeModelFields, isClaude } from './model-fields.js'

type Wire = Record<string, unknown>

/**
 * A body of Converse and ConverseStream that asks `model` for what the request asks. Which model, and whether for a stream, the path says.
 *
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function encodeRequest(request: ChatRequest, model: string): Wire {
  const refuse = createRefuse(request, 'bedrock')
  refuseUnsaid(request, refuse)
  const keepsThoughts = isClaude(model) && (request.dialect === undefined || request.dialect === 'anthropic')
  const context = { refuse, keepsThoughts, cachePlaces: cachePlacesOf(model), documentNames: new Set<string>() }
  const { system, messages, hasCalls } = encodeTurns(request.messages, request.dialect === undefined, context)
  const { fields, paths, effort, ...sampling } = encodeModelFields(request, model, refuse)
  return withoutEmpty({
    messages,
    system,
    inferenceConfig: defined({ ...sampling, stopSequences: encodeStop(request.stop, refuse) }),
    toolConfig: encodeTools(request, hasCalls, context),
    additionalModelRequestFields: fields,
    additionalModelResponseFieldPaths: paths,
    outputConfig: defined({ effort, textFormat: encodeFormat(request.responseFormat, refuse) }),
  })
}

/**
 * There is no word for "none": a request whose turns call no tool goes without tools, and for the others, which need them, nothing can
 * be said.
 */
function encodeTools({ tools = [], toolChoice }: ChatRequest, hasCalls: boolean, { refuse, cachePlaces }: BlockContext): Wire | undefined {
  if (tools.length === 0) return hasCalls ? refuse('tool-calls-without-tools') : undefined
  if (toolChoice === 'none') return hasCalls ? refuse('tool_choice-none') : undefined
  const list = tools.flatMap((tool) => {
    const wire = encodeTool(tool, refuse)
    return tool.cachePoint === true && cachePlaces === 'all' ? [wire, CACHE_POINT] : [wire]
  })
  return defined({ tools: list, toolChoice: choiceOf(toolChoice) })
}

function encodeTool({ name, description, parameters, strict }: Tool, refuse: Refuse): Wire {
  const inputSchema = { json: encodeParameters(parameters, strict, refuse) }
  return { toolSpec: defined({ name, description: description === '' ? undefined : description, inputSchema, strict }) }
}

function choiceOf(choice: Exclude<ToolChoice, 'none'> | undefined): Wire | undefined {
  switch (choice) {
    case undefined:
      return undefined
    case 'auto':
      return { auto: {} }
    case 'required':
      return { any: {} }
    default:
      return { tool: { name: choice.name } }
  }
}

/** https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html: a schema, as text; any JSON cannot be asked for. */
function encodeFormat(format: ResponseFormat | undefined, refuse: Refuse): Wire | undefined {
  if (format === undefined) return undefined
  if (format.type === 'json') return refuse('json_object')
  const name = format.name === undefined ? undefined : { name: format.name }
  const schema = closedSchema(format.schema, (word) => refuse(`json_schema.${word}`))
  return { type: 'json_schema', structure: { jsonSchema: { schema: JSON.stringify(schema), ...name } } }
}

function withoutEmpty(body: Wire): Wire {
  const members = Object.entries(body).filter(([, value]) => value !== undefined && !isEmpty(value))
  return Object.fromEntries(members)
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
