import { createHash } from 'node:crypto'

/** A vector that depends on nothing but these, of floats of 32 bits: the same text gives the same one in every process. */
export function vectorOf(model: string, text: string, dimensions: number): number[] {
  const seed = createHash('sha256').update(`${model}\n${text}`).digest()
  return Array.from({ length: dimensions }, (_each, index) => {
    const word = seed.readUInt32LE((index % 8) * 4) ^ Math.imul(index + 1, 0x9e3779b1)
    return Math.fround((word >>> 0) / 2 ** 31 - 1)
  })
}

/** The same as little-endian floats in base64. */
export function base64Of(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4))
  return bytes.toString('base64')
}

/** How many tokens a text is made up to have. */
export function tokensOf(text: string): number {
  return Math.max(1, text.split(/\s+/).filter((word) => word !== '').length)
}
