import type { FinishPart, Part, Usage } from '@understudy/core'
import type { StreamEncoder, StreamEncoderOptions } from '../dialect-codec.js'
import { streamEncoderOf, type EventWriter } from '../event-writer.js'
import { createBlockWriter } from './block-writer.js'
import { stopReason, usageWire, withoutProof } from './encode-response.js'
import { eventText } from './event-text.js'

/** What ends a stream that went well. */
export const STREAM_TERMINATOR: Uint8Array = Buffer.from(eventText({ type: 'message_stop' }), 'latin1')

/** An encoder for one stream of a message's events. */
export function createStreamEncoder(options: StreamEncoderOptions): StreamEncoder {
  return streamEncoderOf(createMessageWriter(options), STREAM_TERMINATOR)
}

/**
 * The reason to stop and the counts are said together and last, since other dialects count behind the reason. Only the first of
 * several choices can be said.
 *
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function createMessageWriter(options: StreamEncoderOptions): EventWriter {
  const blocks = createBlockWriter()
  let isStarted = false
  let { id, model } = options
  let usage: Usage | undefined
  let finish: FinishPart | undefined
  let isRefusal = false
  let hasCalls = false

  function encodePart(part: Part): string {
    if ('choice' in part && (part.choice ?? 0) > 0) return ''
    switch (part.type) {
      case 'start':
        if (isStarted) return ''
        id = part.id ?? id
        model = options.model ?? part.model
        return ''
      case 'usage':
        usage = { ...usage, ...part.usage }
        return ''
      case 'finish':
        finish = part
        return opener() + blocks.release()
      case 'text':
      case 'refusal':
        isRefusal ||= part.type === 'refusal'
        return opener() + blocks.text(part.text)
      case 'reasoning':
        return opener() + blocks.thought(options.isForeign === true ? withoutProof(part) : part)
      case 'tool-call':
        hasCalls = true
        return opener() + blocks.call(part, id)
      case 'media':
      case 'end':
      case 'error':
        return ''
    }
  }

  function opener(): string {
    if (isStarted) return ''
    isStarted = true
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: model ?? '',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageWire(usage ?? {}),
    }
    return eventText({ type: 'message_start', message })
  }

  return {
    push(parts) {
      let text = ''
      // What came in one read with the opener is known when that is written.
      for (const part of parts) text += encodePart(part)
      return parts.some((part) => part.type === 'start') ? opener() + text : text
    },
    finish() {
      const delta = { stop_reason: stopReason(finish, { isRefusal, hasCalls }), stop_sequence: finish?.stopSequence ?? null }
      const last = eventText({ type: 'message_delta', delta, usage: usageWire(usage ?? {}) })
      return opener() + blocks.release() + last
    },
  }
}
