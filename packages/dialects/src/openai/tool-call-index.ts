import { numberOf, objectOf, textOf } from '../read-json.js'
import type { JsonObject } from '../read-json.js'

/** Which call a piece belongs to, where the wire does not say or says it twice. One a choice. */
export interface ToolCallIndex {
  /** `position` of `count`: where the piece stands among those of its delta. */
  of(piece: JsonObject, position: number, count: number): CallPiece
}

/** Where a piece belongs. */
export interface CallPiece {
  readonly index: number
  /** What it adds to the call's name: some providers stream that in pieces, others say it again with each. */
  readonly name: string | undefined
}

/** Of a whole message: each entry is a call of its own, whatever its id. */
export const WHOLE_CALLS: ToolCallIndex = { of: (piece, position) => ({ index: position, name: callNameOf(piece) }) }

/** One that has begun. */
interface OpenCall {
  readonly index: number
  readonly wireIndex: number | undefined
  readonly id: string | undefined
  name: string
  hasArguments: boolean
}

/**
 * Some providers leave `index` out, others send every parallel call as 0 with an id of its own, others give all calls the same id. An index
 * that is new is a new call; one that is known is one too, if the piece has a name and another id than the call, or another name behind
 * its arguments. Without an index it goes by id, else by its position among several, else to the call before it.
 */
export function createToolCallIndex(): ToolCallIndex {
  return new StreamedCalls()
}

// A class, since there is one for every open stream that calls tools.
class StreamedCalls implements ToolCallIndex {
  readonly #calls = new Map<number, OpenCall>()
  readonly #byId = new Map<string, OpenCall>()
  readonly #byWireIndex = new Map<number, OpenCall>()
  /** Of the delta at hand. */
  readonly #touched = new Set<number>()
  #next = 0
  #current = 0

  of(piece: JsonObject, position: number, count: number): CallPiece {
    if (position === 0) this.#touched.clear()
    const found = this.#find(piece, position, count)
    const isAnother = found === undefined || (callNameOf(piece) !== undefined && this.#touched.has(found))
    const index = isAnother ? this.#open(piece) : found
    this.#touched.add(index)
    this.#current = index
    const call = this.#calls.get(index)
    const name = call === undefined ? undefined : addedName(call.name, callNameOf(piece))
    if (call !== undefined) {
      call.name += name ?? ''
      call.hasArguments ||= hasArguments(piece)
    }
    return { index, name }
  }

  /** `undefined`: a call that has not begun. */
  #find(piece: JsonObject, position: number, count: number): number | undefined {
    const id = textOf(piece.id)
    const wireIndex = indexOf(piece.index)
    const name = callNameOf(piece)
    const own = id === undefined ? undefined : this.#byId.get(id)
    const isOwn = own !== undefined && (wireIndex === undefined || own.wireIndex === undefined || own.wireIndex === wireIndex)
    const known = isOwn ? own : wireIndex === undefined ? undefined : this.#byWireIndex.get(wireIndex)
    if (known !== undefined) return isNewCall(known, id, name) ? undefined : known.index
    if (wireIndex !== undefined || this.#next === 0 || id !== undefined || name !== undefined) return undefined
    return count > 1 ? position : this.#current
  }

  #open(piece: JsonObject): number {
    const id = textOf(piece.id)
    const wireIndex = indexOf(piece.index)
    const index = wireIndex !== undefined && wireIndex >= this.#next ? wireIndex : this.#next
    this.#next = index + 1
    const call = { index, wireIndex, id, name: '', hasArguments: false }
    this.#calls.set(index, call)
    if (id !== undefined) this.#byId.set(id, call)
    if (wireIndex !== undefined) this.#byWireIndex.set(wireIndex, call)
    return index
  }
}

function isNewCall(call: OpenCall, id: string | undefined, name: string | undefined): boolean {
  if (name === undefined) return false
  if (id !== undefined && call.id !== undefined && id !== call.id) return true
  return call.hasArguments && call.name !== '' && name !== call.name
}

/** A name that is said again, whole or grown, adds only what is new of it. */
function addedName(known: string, name: string | undefined): string | undefined {
  if (name === undefined || !name.startsWith(known)) return name
  return textOf(name.slice(known.length))
}

/** The name in a piece of a call. */
function callNameOf(piece: JsonObject): string | undefined {
  return textOf((objectOf(piece.function) ?? objectOf(piece.custom))?.name)
}

function hasArguments(piece: JsonObject): boolean {
  const { arguments: value, input } = objectOf(piece.function) ?? objectOf(piece.custom) ?? {}
  const said = value ?? input
  return said !== undefined && said !== null && said !== ''
}

function indexOf(value: unknown): number | undefined {
  const index = numberOf(value)
  return index !== undefined && Number.isInteger(index) && index >= 0 && index < 1024 ? index : undefined
}
