import type { Tool } from '@understudy/core'
import { booleanOf, defined, isObject, listOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import { sanitiseName } from '../sanitise-name.js'
import { cachePointOf } from './content-blocks.js'

/** The tools that the client itself runs and describes; the vendor's own have no neutral word. */
export function decodeTools(tools: unknown): readonly Tool[] {
  return listOf(tools)
    .filter(isObject)
    .filter(isPlainTool)
    .map((tool) =>
      defined<Tool>({
        name: textOf(tool.name) ?? '',
        description: textOf(tool.description),
        parameters: objectOf(tool.input_schema),
        strict: booleanOf(tool.strict),
        ...cachePointOf(tool),
      }),
    )
}

/**
 * Whether a tool says nothing beyond a name, a description and a schema. How its input is streamed and what is cached of it changes
 * no answer.
 *
 * https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools
 */
export function isPlainTool(tool: JsonObject): boolean {
  return toolFeatureOf(tool) === undefined
}

/** What of a tool has no neutral word, by its structural name. */
export function toolFeature(tool: JsonObject): string {
  return toolFeatureOf(tool) ?? 'tool'
}

function toolFeatureOf(tool: JsonObject): string | undefined {
  const type = textOf(tool.type)
  if (type !== undefined && type !== 'custom') return sanitiseName(type)
  if (tool.defer_loading === true) return 'tools.defer_loading'
  if (listOf(tool.input_examples).length > 0) return 'tools.input_examples'
  return listOf(tool.allowed_callers).some((caller) => caller !== 'direct') ? 'tools.allowed_callers' : undefined
}
