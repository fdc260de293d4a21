import { isObject, parseJson, textOf, type JsonObject } from '../read-json.js'

/** The result of a call, as neutral turns say it. */
export interface ToolResult {
  readonly text: string
  readonly isError: boolean
}

/**
 * The `response` of a function is an object; a text goes under `output`, or under `error` where the call failed, and a text that is a JSON
 * object to the letter is that object. `readResponse` and `responseOf` undo each other.
 *
 * https://ai.google.dev/api/caching#FunctionResponse
 */
export function responseOf({ text, isError }: ToolResult): JsonObject {
  if (isError) return { error: text }
  return objectToTheLetter(text) ?? { output: text }
}

/** What a `response` says. */
export function readResponse(response: JsonObject): ToolResult {
  const [key, ...others] = Object.keys(response)
  const value = key === undefined || others.length > 0 ? undefined : response[key]
  if (key === 'error' && typeof value === 'string') return { text: value, isError: true }
  const isPlain = key === 'output' && typeof value === 'string' && objectToTheLetter(value) === undefined
  return { text: isPlain ? (textOf(value) ?? '') : JSON.stringify(response), isError: false }
}

function objectToTheLetter(text: string): JsonObject | undefined {
  const value = text.startsWith('{') ? parseJson(text) : undefined
  return isObject(value) && JSON.stringify(value) === text && !isPlainOutput(value) ? value : undefined
}

/** Would be read as the text in it. */
function isPlainOutput(value: JsonObject): boolean {
  const keys = Object.keys(value)
  const [key = ''] = keys
  return keys.length === 1 && (key === 'output' || key === 'error') && typeof value[key] === 'string'
}
