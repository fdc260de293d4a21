/** What was said of a text so far: enough to know the rest of it by, and not the text itself, of which an open stream would hold all. */
export class SaidText {
  #length = 0
  #hash = 0

  get isEmpty(): boolean {
    return this.#length === 0
  }

  get length(): number {
    return this.#length
  }

  add(text: string): void {
    this.#hash = hashOf(text, text.length, this.#hash)
    this.#length += text.length
  }

  /** What is left to say of the whole; `undefined` = what was said is no beginning of it. O(n). */
  restOf(whole: string): string | undefined {
    if (whole.length < this.#length || hashOf(whole, this.#length, 0) !== this.#hash) return undefined
    return whole.slice(this.#length)
  }
}

/** FNV-1a, of the first characters. http://www.isthe.com/chongo/tech/comp/fnv/ */
function hashOf(text: string, length: number, start: number): number {
  let hash = start
  for (let index = 0; index < length; index++) hash = Math.imul(hash ^ (text.charCodeAt(index) + 1), 0x01000193)
  return hash
}
