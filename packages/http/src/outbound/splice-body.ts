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

/** Applies `edits` to the bytes of a JSON object. A byte that no edit names stays; `json` is not written to. */
export function spliceBody(json: Buffer, { members, inside }: JsonObject, edits: BodyEdits): Buffer {
  const { set, remove } = edits
  const pieces: Buffer[] = []
  const lastKept = members.findLastIndex(({ key }) => !remove.has(key))
  const last = members.at(-1)
  let copied = startOf(json)

  for (let index = 0; index <= lastKept; index += 1) {
    const member = members[index]
    if (member === undefined) break
    if (remove.has(member.key)) {
      pieces.push(json.subarray(copied, member.start))
      copied = members[index + 1]?.start ?? member.end
      continue
    }
    const value = set.get(member.key)
    if (value === undefined) continue
    pieces.push(json.subarray(copied, member.valueStart), value)
    copied = member.end
  }

  // Members behind the last one that stays go with the comma before them.
  const keptEnd = members[lastKept]?.end ?? inside
  pieces.push(json.subarray(copied, keptEnd))
  addAbsent(pieces, members, edits, lastKept !== -1)
  pieces.push(json.subarray(last?.end ?? inside))
  return Buffer.concat(pieces)
}

function addAbsent(pieces: Buffer[], members: readonly JsonMember[], edits: BodyEdits, follows: boolean): void {
  let needsComma = follows
  for (const values of [edits.set, edits.defaults]) {
    for (const [key, value] of values) {
      if (values === edits.defaults && (edits.set.has(key) || edits.remove.has(key))) continue
      if (members.some((member) => member.key === key)) continue
      if (needsComma) pieces.push(COMMA)
      needsComma = true
      pieces.push(Buffer.from(JSON.stringify(key)), COLON, value)
    }
  }
}

/** A byte-order mark is no JSON, so a provider need not take it. */
function startOf(json: Buffer): number {
  return json[0] === 0xef && json[1] === 0xbb && json[2] === 0xbf ? 3 : 0
}
