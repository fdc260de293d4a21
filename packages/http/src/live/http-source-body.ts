import { decodeText, refuseTooLarge } from '@understudy/config'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip as gunzipCallback } from 'node:zlib'

const gunzip = promisify(gunzipCallback)

/**
 * The text of a body of at most `maxBytes`, both as it comes and decoded. No coding is asked for, and still some servers keep their files
 * as gzip; another one is refused.
 */
export async function readSourceBody(body: Readable, encoding: string | readonly string[] | undefined, maxBytes: number): Promise<string> {
  const coding = (typeof encoding === 'string' ? encoding : '').trim().toLowerCase()
  const zipped = coding === 'gzip' || coding === 'x-gzip'
  try {
    if (!zipped && coding !== '' && coding !== 'identity') throw new Error('the content coding of the answer is none that is read')
    const bytes = await readBytes(body, maxBytes)
    return decodeText(zipped ? await unzip(bytes, maxBytes) : bytes)
  } finally {
    body.on('error', () => undefined).destroy()
  }
}

async function readBytes(body: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of body) {
    if (!Buffer.isBuffer(piece)) throw new TypeError('a body is made of bytes')
    length += piece.length
    refuseTooLarge(length, maxBytes)
    pieces.push(piece)
  }
  return Buffer.concat(pieces, length)
}

async function unzip(bytes: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await gunzip(bytes, { maxOutputLength: maxBytes })
  } catch (error) {
    if (error instanceof RangeError) refuseTooLarge(maxBytes + 1, maxBytes)
    throw new Error('the answer is no whole gzip', { cause: error })
  }
}
