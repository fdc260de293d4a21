import type { Part, Usage } from '@understudy/core'
import type { StreamEncoder, StreamEncoderOptions } from '../dialect-codec.js'
import { finishWord, usageWire } from './encode-response.js'
import type { DeltaWire, UsageWire } from './wire.js'

/** What ends a stream that went well. */
export const STREAM_TERMINATOR: Uint8Array = Buffer.from('data: [DONE]\n\n', 'latin1')

/** An encoder for one stream of `chat.completion.chunk` events. */
export function createStreamEncoder(options: StreamEncoderOptions): StreamEncoder {
  const { includeUsage } = options
  const opened = new Set<number>()
  const openedCalls = new Set<string>()
  let head = headOf(options.id, options.created, options.model ?? '')
  let answerId = options.id
  let usage: Usage | undefined

  function push(parts: readonly Part[]): Uint8Array | undefined {
    let text = ''
    for (const part of parts) text += encodePart(part)
    return text === '' ? undefined : Buffer.from(text, 'utf8')
  }

  function encodePart(part: Part): string {
    switch (part.type) {
      case 'start':
        answerId = part.id ?? answerId
        head = headOf(answerId, part.created ?? options.created, options.model ?? part.model ?? '', part.systemFingerprint)
        return opener(0)
      case 'text':
        return delta(part.choice, { content: part.text })
      case 'reasoning':
        // A mere signature is its own provider's.
        return part.text === '' ? '' : delta(part.choice, { reasoning_content: part.text })
      case 'refusal':
        return delta(part.choice, { refusal: part.text })
      case 'tool-call':
        return delta(part.choice, toolCallDelta(part))
      case 'finish':
        return opener(part.choice ?? 0) + choiceEvent(part.choice ?? 0, {}, finishWord(part))
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

  function delta(choice: number | undefined, message: DeltaWire): string {
    return opener(choice ?? 0) + choiceEvent(choice ?? 0, message, null)
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

  function end(): Uint8Array {
    if (!includeUsage || usage === undefined) return STREAM_TERMINATOR
    return Buffer.concat([Buffer.from(`${head}[]${usageMember(usageWire(usage))}}\n\n`, 'utf8'), STREAM_TERMINATOR])
  }

  return { push, end }
}

function headOf(id: string, created: number, model: string, fingerprint?: string): string {
  const members = `"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created}`
  const build = fingerprint === undefined ? '' : `"system_fingerprint":${JSON.stringify(fingerprint)},`
  return `data: {${members},"model":${JSON.stringify(model)},${build}"choices":`
}
