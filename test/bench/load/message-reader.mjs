const LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i

/** Whether bytes end in the chunk of length 0. No event holds CR LF CR LF, so nothing else ends so. */
const endsInLastChunk = (bytes) => {
  const { length } = bytes
  return length >= 5 && bytes[length - 1] === 10 && bytes[length - 2] === 13 && bytes[length - 3] === 10
    && bytes[length - 4] === 13 && bytes[length - 5] === 48
}

/**
 * Finds the ends of HTTP messages that come one at a time on a connection, and reads no more of them than that takes.
 * `onBytes` gets a message's bytes as they come, framing included.
 */
export function createMessageReader({ onHead, onBytes, onEnd }) {
  let held
  let inBody = false
  let remaining = 0
  let chunked = false
  let before = Buffer.alloc(0)

  const finish = () => {
    inBody = false
    before = Buffer.alloc(0)
    onEnd()
  }

  const readHead = (bytes) => {
    const end = bytes.indexOf('\r\n\r\n')
    if (end === -1) {
      held = bytes
      return undefined
    }
    held = undefined
    const head = bytes.latin1Slice(0, end)
    chunked = CHUNKED.test(head)
    remaining = chunked ? 0 : Number(LENGTH.exec(head)?.[1] ?? 0)
    inBody = true
    onHead?.(head)
    return bytes.subarray(end + 4)
  }

  const readBody = (bytes) => {
    onBytes?.(bytes)
    if (chunked) {
      if (endsInLastChunk(bytes.length >= 5 ? bytes : Buffer.concat([before, bytes]))) finish()
      else if (bytes.length > 0) before = bytes.length >= 5 ? bytes.subarray(-4) : Buffer.concat([before, bytes]).subarray(-4)
      return
    }
    remaining -= bytes.length
    if (remaining <= 0) finish()
  }

  return (bytes) => {
    if (inBody) return readBody(bytes)
    const body = readHead(held === undefined ? bytes : Buffer.concat([held, bytes]))
    if (body !== undefined) readBody(body)
  }
}
