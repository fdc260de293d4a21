import type { Tool, ToolChoice } from '@understudy/core'
import { defined, isObject, listOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { sanitiseName } from '../sanitise-name.js'
import { camelMembers } from './camel-members.js'
import { jsonSchemaOf } from './open-api-schema.js'

/** The tools of a request, and what of them has no neutral word, by its structural name. */
export interface DecodedTools {
  readonly tools: readonly Tool[]
  readonly choice: ToolChoice | undefined
  readonly unsaid: readonly string[]
}

/** Members of a declaration that change what its tool is. https://ai.google.dev/api/caching#FunctionDeclaration */
const UNSAID_OF_DECLARATION = ['behavior', 'response', 'responseJsonSchema'] as const

/** The functions that the client itself runs; the vendor's own tools have no neutral word. */
export function decodeTools(given: unknown, givenConfig: unknown): DecodedTools {
  const groups = listOf(given).filter(isObject).map(camelMembers)
  const declarations = groups.flatMap((group) => listOf(group.functionDeclarations).filter(isObject).map(camelMembers))
  const others = groups.flatMap((group) => Object.keys(group).filter((key) => key !== 'functionDeclarations' && isSet(group[key])))
  const ofDeclarations = UNSAID_OF_DECLARATION.filter((key) => declarations.some((declaration) => isSet(declaration[key])))
  const tools = declarations.map(decodeDeclaration)
  const config = camelMembers(objectOf(givenConfig) ?? {})
  const { choice, isUnsaid } = decodeChoice(camelMembers(objectOf(config.functionCallingConfig) ?? {}), tools)
  return {
    tools,
    choice,
    unsaid: [
      ...others.map((key) => `tools.${sanitiseName(key)}`),
      ...ofDeclarations.map((key) => `tools.${key}`),
      ...(isUnsaid ? ['toolConfig.allowedFunctionNames'] : []),
      ...Object.keys(config)
        .filter((key) => key !== 'functionCallingConfig' && isSet(config[key]))
        .map((key) => `toolConfig.${sanitiseName(key)}`),
    ],
  }
}

function decodeDeclaration({ name, description, parameters, parametersJsonSchema }: JsonObject): Tool {
  const openApi = objectOf(parameters)
  return defined<Tool>({
    name: textOf(name) ?? '',
    description: textOf(description),
    parameters: objectOf(parametersJsonSchema) ?? (openApi === undefined ? undefined : jsonSchemaOf(openApi)),
  })
}

/**
 * `VALIDATED` is `AUTO` with arguments that fit their schema. Some of the tools, but not all and not one, is nothing that others can say.
 *
 * https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes
 */
function decodeChoice(config: JsonObject, tools: readonly Tool[]): { readonly choice: ToolChoice | undefined; readonly isUnsaid: boolean } {
  const allowed = new Set(listOf(config.allowedFunctionNames).flatMap((name) => textOf(name) ?? []))
  const [only] = allowed
  const isSome = allowed.size > 0 && tools.some(({ name }) => !allowed.has(name))
  switch (config.mode) {
    case 'ANY':
      if (allowed.size === 1 && only !== undefined) return { choice: { name: only }, isUnsaid: false }
      return { choice: 'required', isUnsaid: isSome }
    case 'NONE':
      return { choice: 'none', isUnsaid: false }
    case 'AUTO':
    case 'VALIDATED':
      return { choice: 'auto', isUnsaid: isSome }
    default:
      return { choice: undefined, isUnsaid: isSome }
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}
