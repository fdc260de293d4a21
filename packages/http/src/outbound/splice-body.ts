import type { JsonMember, JsonObject } from './json-members.js'

/** What a leg changes in a client's body. */
export interface BodyEdits {
  /** Keys whose value is replaced wherever they stand, and which are added if absent; values are JSON text. */
  readonly set: ReadonlyMap<string, Buffer>
  /** Keys that are added if they are absent; values are JSON text. */
  readonly defaults: ReadonlyMap<string, Buffer>
  /** Keys whose members are taken out. */
  readonly remove: ReadonlySet<string>
}

const COMMA = Buffer.from(',')
const COLON = Buffer.from(':')

/**
 * Applies `edits` to the bytes of a JSON object. A byte that no edit names stays; `json` is not written to.
 *
 * Hot: once a request. Copied into one piece of memory: a view of each part would cost more than its bytes.
 */
export function spliceBody(json: Buffer, { members, inside }: JsonObject, edits: BodyEdits): Buffer {
  const { set, remove } = edits
  const written = new Written(json.length + mostAdded(edits, members.length))
  const lastKept = members.findLastIndex(({ key }) => !remove.has(key))
  const last = members.at(-1)
  let copied = startOf(json)

  for (let index = 0; index <= lastKept; index += 1) {
    const member = members[index]
    if (member === undefined) break
    if (remove.has(member.key)) {
      written.copy(json, copied, member.start)
      copied = members[index + 1]?.start ?? member.end
      continue
    }
    const value = set.get(member.key)
    if (value === undefined) continue
    written.copy(json, copied, member.valueStart)
    written.copy(value)
    copied = member.end
  }

  // Members behind the last one that stays go with the comma before them.
  written.copy(json, copied, members[lastKept]?.end ?? inside)
  addAbsent(written, members, edits, lastKept !== -1)
  written.copy(json, last?.end ?? inside)
  return written.bytes()
}

function addAbsent(written: Written, members: readonly JsonMember[], edits: BodyEdits, follows: boolean): void {
  let needsComma = follows
  for (const values of [edits.set, edits.defaults]) {
    for (const [key, value] of values) {
      if (values === edits.defaults && (edits.set.has(key) || edits.remove.has(key))) continue
      if (members.some((member) => member.key === key)) continue
      if (needsComma) written.copy(COMMA)
      needsComma = true
      written.copy(Buffer.from(JSON.stringify(key)))
      written.copy(COLON)
      written.copy(value)
    }
  }
}

class Written {
  readonly #bytes: Buffer
  #length = 0

  constructor(most: number) {
    this.#bytes = Buffer.allocUnsafe(most)
  }

  copy(from: Buffer, start = 0, end = from.length): void {
    this.#length += from.copy(this.#bytes, this.#length, start, end)
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** The most that edits can add to a body of so many members: a value takes the place of each one of its key, however many there are. */
function mostAdded({ set, defaults }: BodyEdits, members: number): number {
  let length = 0
  for (const [key, value] of set) length += mostOf(key) + value.length * (members + 1)
  for (const [key, value] of defaults) length += mostOf(key) + value.length
  return length
}

/** Of a key as JSON with its quotes, colon and comma: six bytes a character are the most, for one that is escaped. */
function mostOf(key: string): number {
  return 6 * key.length + 4
}

/** A byte-order mark is no JSON, so a provider need not take it. */
function startOf(json: Buffer): number {
  return json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf ? 3 : 0
}
