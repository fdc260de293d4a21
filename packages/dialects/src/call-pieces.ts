import { isObject, parseJson, type JsonObject } from './read-json.js'

/**
 * The arguments of a call for a dialect whose clients take nothing but an object: `{}` for none. What a model wrote that is no object stands
 * in one as the text that it is, so that a tool may refuse it and the model is told its own words.
 */
export function argumentsObject(text: string): JsonObject {
  if (text.trim() === '') return {}
  const value = parseJson(text)
  return isObject(value) ? value : { arguments: text }
}

/** A call's name with one more piece of it, which counts until its arguments begin. One that is said again adds nothing. */
export function grownName(known: string, piece: string | undefined, hasArguments: boolean): string {
  if (piece === undefined || (known !== '' && hasArguments)) return known
  return piece.startsWith(known) ? piece : known + piece
}
