const LINE_FEED = 10

/** A longer text is not searched piece by piece, which would hold up a server: at this length it takes some 20 ms. */
const MOST_SEARCHED = 262_144

/** A piece of JSON behind white space; of a string the beginning alone. */
const PIECE = /[\t\n\r ]*(?:"|-?\d[\d.eE+-]*|true|false|null|[[\]{}:,])/y
const WHITE_SPACE = /[\t\n\r ]*/y
const LITERALS = ['true', 'false', 'null']

/**
 * Where a text stops being JSON, as a message may end: ` (line 7, column 3)`, both counted from 1, and without a word of the text. `thrown` is what
 * `JSON.parse` threw. Empty if the place is not known. A byte-order mark is not counted.
 */
export function whereNoJson(text: string, thrown: unknown): string {
  if (!(thrown instanceof SyntaxError)) return ''
  const bare = text.startsWith('\uFEFF') ? text.slice(1) : text
  const position = positionOf(bare, thrown.message)
  if (position === undefined || position > bare.length) return ''
  let line = 1
  let lineAt = 0
  for (let at = 0; at < position; at += 1) {
    if (bare.charCodeAt(at) !== LINE_FEED) continue
    line += 1
    lineAt = at + 1
  }
  return ` (line ${line}, column ${position - lineAt + 1})`
}

function positionOf(text: string, message: string): number | undefined {
  // At the end of the message, where none of the text can stand that V8 quotes in others; newer versions add the line and the column.
  const said = /at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1]
  if (said !== undefined) return Number(said)
  if (message === 'Unexpected end of JSON input') return text.length
  // V8 quotes the text around it and gives no number.
  return message.endsWith(' is not valid JSON') && text.length <= MOST_SEARCHED ? unexpectedAt(text) : undefined
}

/** The first place where a value has to stand and none begins. Up to there the text is JSON, or V8 would have named another place. */
function unexpectedAt(text: string): number | undefined {
  let last = ','
  for (let at = 0; at < text.length;) {
    const from = behindSpace(text, at)
    PIECE.lastIndex = at
    const piece = PIECE.exec(text)?.[0].trimStart()
    if (piece === undefined) return from + litLength(text, from)
    const isClosed = last === '[' && piece === ']'
    if ('[,:'.includes(last) && !isClosed && ']}:,'.includes(piece)) return from
    last = piece.slice(0, 1)
    at = piece === '"' ? behindString(text, from) : from + piece.length
  }
  return undefined
}

function behindSpace(text: string, at: number): number {
  WHITE_SPACE.lastIndex = at
  WHITE_SPACE.test(text)
  return WHITE_SPACE.lastIndex
}

function behindString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

/** How much of `true`, `false` or `null` stands there: `tru}` stops being JSON behind its third letter. */
function litLength(text: string, from: number): number {
  const literal = LITERALS.find((word) => word[0] === text[from]) ?? ''
  let length = 0
  while (length < literal.length && text[from + length] === literal[length]) length += 1
  return length
}
