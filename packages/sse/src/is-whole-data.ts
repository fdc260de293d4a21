/**
 * Whether data that was not followed by its blank line cannot have been cut: `[DONE]`, or JSON that is whole. A number
 * proves nothing: `12` may be the start of `123`.
 */
export function isWholeData(data: string | undefined): boolean {
  if (data === undefined) return false
  if (data.trim() === '[DONE]') return true
  try {
    return typeof JSON.parse(data) !== 'number'
  } catch {
    return false
  }
}
