const LONGEST = 60

const KEY_PREFIX =
  /(?:^|[^A-Za-z0-9])(?:sk|pk|rk|gsk|csk|xai|hf|pplx|fw|tgp|ghp|nvapi|Bearer)[-_ ][\w-]{8,}|AIza[\w-]{8,}|AKIA\w{8,}/
const LONG_RUN = /\w{24,}/g

/** Whether a text may be a key that somebody put into the wrong place. Errs towards yes: that only costs a detail. */
function looksLikeKey(text: string): boolean {
  if (KEY_PREFIX.test(text)) return true
  return (text.match(LONG_RUN) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run))
}

/** What breaks a line, moves a cursor, turns the direction of a text or is not seen: with it a line could be forged. */
const UNSHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** A text as a line of a log may hold it: what does not show as itself is escaped as in JSON. */
export function oneLine(text: string): string {
  return text.replace(UNSHOWN, (found) => {
    const inJson = JSON.stringify(found).slice(1, -1)
    return inJson === found ? escaped(found) : inJson
  })
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')
}

/** A text as a message may show it: on one line, cut, and not at all if it looks like a key. */
export function quote(text: string): string {
  if (looksLikeKey(text)) return '(a text that looks like a key)'
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text
  return `'${oneLine(JSON.stringify(cut).slice(1, -1))}'`
}

/** What sort of value it is, for values that a message must not show. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  switch (typeof value) {
    case 'string': return value === '' ? 'an empty string' : 'a string'
    case 'object': return 'an object'
    case 'undefined': return 'undefined'
    default: return `a ${typeof value}`
  }
}

/** A value as a message may show it. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string': return value === '' ? 'empty' : quote(value)
    case 'number':
    case 'boolean': return String(value)
    default: return kindOf(value)
  }
}
