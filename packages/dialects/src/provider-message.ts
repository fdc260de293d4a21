import { maskCredentials } from './mask-credentials.js'
import { remembered } from './remembered.js'

const MAX_BYTES = 2048

/** A provider's own words as a client may see them: credentials masked, at most 2 KiB of UTF-8. */
export function providerMessageOf(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : sayable(text)
}

const sayable = remembered((text) => {
  const masked = maskCredentials(text)
  const bytes = Buffer.from(masked, 'utf8')
  if (bytes.length <= MAX_BYTES) return masked
  // A character that the cut went through decodes as U+FFFD.
  return bytes.subarray(0, MAX_BYTES).toString('utf8').replace(/\ufffd+$/, '')
})
