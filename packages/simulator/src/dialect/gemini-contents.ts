import { field } from './field.js'

/**
 * What is wrong with the turns of a conversation, as the vendor says it: no turn is empty, and the calls of functions are answered, all
 * and by name, in the very next turn.
 *
 * https://ai.google.dev/gemini-api/docs/function-calling
 */
export function contentsFault(contents: unknown): string | undefined {
  if (!Array.isArray(contents) || contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified'
  const turns: readonly unknown[] = contents
  let open: readonly string[] = []
  for (const [index, turn] of turns.entries()) {
    const role = field(turn, 'role') ?? 'user'
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.'
    const parts = field(turn, 'parts')
    if (!Array.isArray(parts) || parts.length === 0) {
      return `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.`
    }
    const answered = namesOf(parts, 'functionResponse')
    if (open.length > 0 && answered.length !== open.length) {
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
    }
    if (open.length === 0 && answered.length > 0) {
      return 'Please ensure that function response turn comes immediately after a function call turn.'
    }
    if (answered.toSorted().join() !== open.toSorted().join()) return 'Name of a function response does not match a function call.'
    open = role === 'model' ? namesOf(parts, 'functionCall') : []
    if (open.length > 0 && index === 0) return 'Please ensure that function call turn comes immediately after a user turn.'
  }
  return undefined
}

function namesOf(parts: readonly unknown[], key: string): readonly string[] {
  return parts.map((part) => field(part, key)).filter((value) => value !== undefined).map((value) => String(field(value, 'name')))
}
