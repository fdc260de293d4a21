import { connect } from 'node:net'
import { createMessageReader } from './message-reader.mjs'

const DWELL = Buffer.from('"dwell ')
const DONE = Buffer.from('[DONE]')
const CONTENT = Buffer.from('"finish_reason":null')

const microseconds = () => Number(process.hrtime.bigint() / 1000n)

/**
 * One keep-alive connection that sends a request and tells when the answer is whole. What `onAnswer` gets: whether the
 * answer was a 200 with its end in it, and, where the upstream said how long it sat on the first token, how long that token
 * took without that time.
 */
export function openConnection({ port, request, stream, onEvents, onAnswer, onClose }) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let sentAt = 0
  let status = ''
  let done = false
  let before = Buffer.alloc(0)
  let tokenUs

  const look = (bytes) => {
    onEvents?.(bytes)
    if (!stream) return
    if (tokenUs === undefined) {
      const at = bytes.indexOf(DWELL)
      if (at !== -1) tokenUs = microseconds() - sentAt - Number(bytes.latin1Slice(at + 7, at + 16))
    }
    // The mark may lie across two reads, so the end of the last one is looked at again.
    done = done || bytes.includes(DONE) || Buffer.concat([before, bytes.subarray(0, 16)]).includes(DONE)
    before = bytes.subarray(-16)
  }

  const read = createMessageReader({
    onHead: (head) => { status = head.slice(9, 12) },
    onBytes: look,
    onEnd: () => onAnswer({ ok: status === '200' && (done || !stream), tokenUs }),
  })

  socket.on('data', read)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => onClose?.())

  return {
    send: () => {
      done = false
      tokenUs = undefined
      sentAt = microseconds()
      socket.write(request)
    },
    close: () => socket.destroy(),
  }
}

/** How many content events begin or end in these bytes. */
export function countContentEvents(bytes) {
  let count = 0
  for (let at = bytes.indexOf(CONTENT); at !== -1; at = bytes.indexOf(CONTENT, at + CONTENT.length)) count += 1
  return count
}
