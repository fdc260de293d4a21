import { numberOf, textOf, type JsonObject } from '../read-json.js'
import { SaidText } from './said-text.js'

/** A part of a message, while its text grows. */
export interface OpenPart {
  readonly index: number | undefined
  readonly said: SaidText
  isDone: boolean
}

/** An item of which some event has told. */
export interface OpenItem {
  readonly type: string
  readonly id: string | undefined
  readonly place: number | undefined
  /** Of a call. */
  readonly call: number | undefined
  /** All of its text. */
  readonly said: SaidText
  /** Of a call: the arguments so far. */
  text: string
  isNamed: boolean
  isEnded: boolean
  /** Whether the end of the response has told of it. */
  isFinal: boolean
  /** The paragraph of a thought that the last piece belonged to. */
  paragraph: number | undefined
  /** The last one of a message. */
  part: OpenPart | undefined
}

/** The items of one stream. Some servers leave out their places or their ids, or both: then it is the one that was told of last. */
export class OpenItems {
  readonly #all: OpenItem[] = []
  readonly #byPlace = new Map<number, OpenItem>()
  readonly #byId = new Map<string, OpenItem>()
  #calls = 0
  #final = new Map<string, number>()

  get hasCalls(): boolean {
    return this.#calls > 0
  }

  /** The item that an event is about, which begins with it if it is of none that is open. */
  of(event: JsonObject, type: string, item: JsonObject = {}): OpenItem {
    const place = numberOf(event.output_index)
    const id = textOf(event.item_id) ?? textOf(item.id)
    const byPlace = place === undefined ? undefined : this.#byPlace.get(place)
    const byId = byPlace !== undefined || id === undefined ? undefined : this.#byId.get(id)
    const known = byPlace ?? byId ?? (place === undefined && id === undefined ? this.#all.at(-1) : undefined)
    if (known !== undefined && !known.isEnded && (known.type === type || type === '')) return known
    return this.#add({
      type,
      id,
      place,
      call: type === 'function_call' ? this.takeCall() : undefined,
      said: new SaidText(),
      text: '',
      isNamed: false,
      isEnded: false,
      isFinal: false,
      paragraph: undefined,
      part: undefined,
    })
  }

  /** The index of a call that no event but the last has told of. */
  takeCall(): number {
    return this.#calls++
  }

  /** The item that one of the whole response is, by its place and its id, or else the next of its type. Each is given once. */
  finalOf(item: JsonObject, place: number): OpenItem | undefined {
    const id = textOf(item.id)
    const type = textOf(item.type)
    const isOf = (open: OpenItem | undefined): open is OpenItem => open !== undefined && open.type === type && !open.isFinal
    const byPlace = this.#byPlace.get(place)
    const byId = id === undefined ? undefined : this.#byId.get(id)
    const hasId = byPlace?.id === undefined || id === undefined || byPlace.id === id
    const found = [hasId ? byPlace : undefined, byId, byPlace].find(isOf) ?? this.#nextOf(type ?? '', isOf)
    if (found !== undefined) found.isFinal = true
    return found
  }

  #nextOf(type: string, isOf: (open: OpenItem | undefined) => open is OpenItem): OpenItem | undefined {
    let at = this.#final.get(type) ?? 0
    while (at < this.#all.length && !isOf(this.#all[at])) at++
    this.#final.set(type, at)
    return this.#all[at]
  }

  #add(open: OpenItem): OpenItem {
    this.#all.push(open)
    if (open.place !== undefined) this.#byPlace.set(open.place, open)
    if (open.id !== undefined) this.#byId.set(open.id, open)
    return open
  }
}

/** The part of a message that an event is about; `undefined` = one that is done. */
export function partOf(open: OpenItem, event: JsonObject, isPiece: boolean): OpenPart | undefined {
  const index = numberOf(event.content_index)
  const { part } = open
  const isSame = part !== undefined && (part.index === undefined || index === undefined || part.index === index)
  if (isSame && !(part.isDone && isPiece)) return part.isDone ? undefined : part
  if (!isPiece && part?.index !== undefined && index !== undefined && index < part.index) return undefined
  open.part = { index, said: new SaidText(), isDone: false }
  return open.part
}
