import type { Part, Usage } from '@understudy/core'
import type { StreamEncoder, StreamEncoderOptions } from '../dialect-codec.js'
import { streamEncoderOf, type EventWriter } from '../event-writer.js'
import { finishWord, usageWire } from './encode-response.js'
import type { DeltaWire, UsageWire } from './wire.js'

/** What ends a stream that went well. */
export const STREAM_TERMINATOR: Uint8Array = Buffer.from('data: [DONE]\n\n', 'latin1')

/** An encoder for one stream of `chat.completion.chunk` events. */
export function createStreamEncoder(options: StreamEncoderOptions): StreamEncoder {
  return streamEncoderOf(createChunkWriter(options), STREAM_TERMINATOR)
}

/**
 * A choice is opened when it first says something; clients count on a reason to stop for each that is open, so one is said last where none
 * was, and then what was counted.
 */
export function createChunkWriter(options: StreamEncoderOptions): EventWriter {
  const { includeUsage } = options
  const opened = new Set<number>()
  const finished = new Set<number>()
  /** Choices without a reason to stop, and what it is should none be said. */
  const unfinished = new Map<number, 'stop' | 'tool_calls'>()
  const openedCalls = new Set<string>()
  /** The choice that the last event grew by a text. */
  let growing: number | undefined
  const noUsage = usageMember(null)
  let head = headOf(options.id, options.created, options.model ?? '')
  let answerId = options.id
  let usage: Usage | undefined

  function push(parts: readonly Part[]): string {
    let text = ''
    for (const part of parts) text += encodePart(part)
    return text
  }

  function encodePart(part: Part): string {
    switch (part.type) {
      case 'start':
        answerId = part.id ?? answerId
        head = headOf(answerId, part.created ?? options.created, options.model ?? part.model ?? '', part.systemFingerprint)
        return ''
      case 'text':
        return piece(part.choice, '"content":', part.text)
      case 'reasoning':
        // A mere signature is its own provider's.
        return part.text === '' ? '' : piece(part.choice, '"reasoning_content":', part.text)
      case 'refusal':
        return delta(part.choice, { refusal: part.text })
      case 'tool-call':
        return delta(part.choice, toolCallDelta(part), 'tool_calls')
      case 'finish':
        return finishEvent(part.choice ?? 0, finishWord(part))
      case 'usage':
        usage = { ...usage, ...part.usage }
        return ''
      case 'media':
      case 'end':
      case 'error':
        return ''
    }
  }

  function toolCallDelta(part: Extract<Part, { readonly type: 'tool-call' }>): DeltaWire {
    const key = `${part.choice ?? 0}/${part.index}`
    const isFirst = !openedCalls.has(key)
    openedCalls.add(key)
    const id = part.id ?? (isFirst ? `call_${answerId}_${part.index}` : undefined)
    return {
      tool_calls: [
        {
          index: part.index,
          ...(id === undefined ? undefined : { id, type: 'function' as const }),
          function: { ...(part.name === undefined ? undefined : { name: part.name }), arguments: part.arguments },
        },
      ],
    }
  }

  function delta(choice = 0, message: DeltaWire, finish: 'stop' | 'tool_calls' = unfinished.get(choice) ?? 'stop'): string {
    const opening = opener(choice)
    if (!finished.has(choice)) unfinished.set(choice, finish)
    return opening + choiceEvent(choice, message, null)
  }

  /** Hot: a piece of text. Where one choice goes on, nothing about it has to be looked up. */
  function piece(choice = 0, member: string, text: string): string {
    if (choice !== growing) {
      const opening = opener(choice)
      if (!finished.has(choice)) unfinished.set(choice, unfinished.get(choice) ?? 'stop')
      growing = choice
      return opening + pieceEvent(choice, member, text)
    }
    return pieceEvent(choice, member, text)
  }

  function pieceEvent(choice: number, member: string, text: string): string {
    return `${head}[{"index":${choice},"delta":{${member}${JSON.stringify(text)}},"logprobs":null,"finish_reason":null}]${noUsage}}\n\n`
  }

  function finishEvent(choice: number, word: string): string {
    unfinished.delete(choice)
    finished.add(choice)
    growing = undefined
    return opener(choice) + choiceEvent(choice, {}, word)
  }

  function opener(choice: number): string {
    if (opened.has(choice)) return ''
    opened.add(choice)
    return choiceEvent(choice, { role: 'assistant', content: '' }, null)
  }

  function choiceEvent(choice: number, message: DeltaWire, finish: string | null): string {
    const rest = `"logprobs":null,"finish_reason":${JSON.stringify(finish)}`
    return `${head}[{"index":${choice},"delta":${JSON.stringify(message)},${rest}}]${usageMember(null)}}\n\n`
  }

  // With usage asked for, OpenAI has the member on every chunk, and only the last one fills it.
  function usageMember(value: UsageWire | null): string {
    return includeUsage ? `,"usage":${JSON.stringify(value)}` : ''
  }

  function finish(): string {
    let text = ''
    for (const [choice, word] of [...unfinished]) text += finishEvent(choice, word)
    return !includeUsage || usage === undefined ? text : `${text}${head}[]${usageMember(usageWire(usage))}}\n\n`
  }

  return { push, finish }
}

function headOf(id: string, created: number, model: string, fingerprint?: string): string {
  const members = `"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created}`
  const build = fingerprint === undefined ? '' : `"system_fingerprint":${JSON.stringify(fingerprint)},`
  return `data: {${members},"model":${JSON.stringify(model)},${build}"choices":`
}
