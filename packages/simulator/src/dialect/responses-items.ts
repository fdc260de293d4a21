import type { ErrorFields } from '../script.js'
import { field } from './field.js'

const itemTypes = new Set(['message', 'reasoning', 'function_call', 'function_call_output', 'item_reference'])
/** What the ids of items begin with, which may be left out but for a thought's. */
const idsByType: Readonly<Record<string, string>> = { message: 'msg', reasoning: 'rs', function_call: 'fc' }
const roles = new Set(['user', 'assistant', 'system', 'developer'])
const partTypes: Readonly<Record<string, readonly string[]>> = {
  user: ['input_text', 'input_image', 'input_file'],
  system: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
}

/**
 * What is wrong with the input of a request. `goesOn`: what it goes on from holds the rest, so that it need not say anything, and may
 * answer calls that are not in it.
 *
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function itemsFault(input: unknown, goesOn: boolean): ErrorFields | undefined {
  if (typeof input === 'string') return undefined
  if (input === undefined || input === null || (Array.isArray(input) && input.length === 0)) {
    if (goesOn) return undefined
    return { message: 'One of "input" or "previous_response_id" or "prompt" or "conversation" must be provided.', param: 'input' }
  }
  if (!Array.isArray(input)) return { message: "Invalid type for 'input': expected a string or an array.", param: 'input', code: 'invalid_type' }
  const open = new Set<string>()
  for (const [index, item] of (input as readonly unknown[]).entries()) {
    const fault = itemFault(item, `input[${index}]`, open, goesOn)
    if (fault !== undefined) return fault
  }
  const [unanswered] = open
  return unanswered === undefined
    ? undefined
    : { message: `No tool output found for function call ${unanswered}.`, param: 'input' }
}

function itemFault(item: unknown, path: string, open: Set<string>, goesOn: boolean): ErrorFields | undefined {
  const id = field(item, 'id')
  const isBare = typeof id === 'string' && field(item, 'role') === undefined
  const type = field(item, 'type') ?? (isBare ? 'item_reference' : 'message')
  if (typeof type !== 'string' || !itemTypes.has(type)) return invalid(`${path}.type`, type)
  const begins = idsByType[type]
  if (typeof id === 'string' && begins !== undefined && !id.startsWith(begins)) {
    return { message: `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${begins}'.`, param: `${path}.id`, code: 'invalid_value' }
  }
  switch (type) {
    case 'function_call':
      for (const key of ['call_id', 'name', 'arguments']) if (typeof field(item, key) !== 'string') return missing(`${path}.${key}`)
      open.add(String(field(item, 'call_id')))
      return undefined
    case 'function_call_output': {
      const callId = String(field(item, 'call_id'))
      if (field(item, 'output') === undefined) return missing(`${path}.output`)
      if (open.delete(callId) || goesOn) return undefined
      return { message: `No tool call found for function call output with call_id ${callId}.`, param: 'input' }
    }
    case 'item_reference':
      return typeof id === 'string' ? notFound(id) : missing(`${path}.id`)
    case 'reasoning':
      if (typeof id !== 'string') return missing(`${path}.id`)
      if (!Array.isArray(field(item, 'summary'))) return missing(`${path}.summary`)
      return typeof field(item, 'encrypted_content') === 'string' ? undefined : notFound(id)
    default:
      return messageFault(item, path)
  }
}

function messageFault(item: unknown, path: string): ErrorFields | undefined {
  const role = field(item, 'role')
  if (typeof role !== 'string' || !roles.has(role)) return invalid(`${path}.role`, role)
  const content = field(item, 'content')
  if (typeof content === 'string') return undefined
  if (!Array.isArray(content)) return missing(`${path}.content`)
  for (const [index, part] of (content as readonly unknown[]).entries()) {
    const type = field(part, 'type')
    if (typeof type !== 'string' || partTypes[role]?.includes(type) !== true) return invalid(`${path}.content[${index}].type`, type)
  }
  return undefined
}

/** Nothing is stored here. */
function notFound(id: string): ErrorFields {
  return { message: `Item with id '${id}' not found.`, param: 'input' }
}

function missing(param: string): ErrorFields {
  return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' }
}

function invalid(param: string, value: unknown): ErrorFields {
  return { message: `Invalid value: '${String(value)}'.`, param, code: 'invalid_value' }
}
