/** The outermost object of a JSON text, by its members. */
export interface ObjectMembers {
  /** Each from the quote of its key to the end of its value. */
  readonly members: readonly { readonly key: string; readonly text: string }[]
  /** Where its closing brace is. */
  readonly close: number
}

/**
 * Reads the members of the object whose opening brace is right before `inside`, without decoding anything but keys;
 * `undefined` if it does not close before `limit`. The text has one character a byte, and may be the data lines of an event: what
 * stands between the lines is in nobody's way.
 */
export function objectMembers(text: string, inside: number, limit: number): ObjectMembers | undefined {
  const members: { readonly key: string; readonly text: string }[] = []
  let at = inside
  while (at < limit) {
    const start = indexOfAny(text, '"}', at, limit)
    if (start === -1) return undefined
    if (text[start] === '}') return { members, close: start }
    const keyEnd = pastString(text, start)
    const end = endOfValue(text, keyEnd, limit)
    if (end === -1) return undefined
    members.push({ key: keyOf(text.slice(start, keyEnd)), text: text.slice(start, end) })
    at = text[end] === ',' ? end + 1 : end
  }
  return undefined
}

/** `"mod\u0065l"` is the same key as `"model"`. */
function keyOf(latin1: string): string {
  try {
    return String(JSON.parse(Buffer.from(latin1, 'latin1').toString('utf8')))
  } catch {
    return ''
  }
}

/** Where the comma or the brace is that ends the member. */
function endOfValue(text: string, from: number, limit: number): number {
  let depth = 0
  let at = from
  for (;;) {
    at = indexOfAny(text, depth === 0 ? '"{[,}' : '"{[]}', at, limit)
    switch (text[at]) {
      case '"':
        at = pastString(text, at)
        continue
      case '{':
      case '[':
        depth += 1
        break
      case ']':
        depth -= 1
        break
      case '}':
        if (depth === 0) return at
        depth -= 1
        break
      default:
        return at
    }
    at += 1
  }
}

/** -1 for none before `limit`. */
function indexOfAny(text: string, characters: string, from: number, limit: number): number {
  for (let at = from; at < limit; at++) {
    if (characters.includes(text.charAt(at))) return at
  }
  return -1
}

/** Just past the string that opens at `open`; the end of the text if it does not close. */
function pastString(text: string, open: number): number {
  let at = open + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
