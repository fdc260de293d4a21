import type { FinishPart, Part, Usage } from '@understudy/core'
import type { StreamEncoder, StreamEncoderOptions } from '../dialect-codec.js'
import { callParts, finishWord, holdCall, textPart, usageWire, type HeldCall } from './encode-response.js'
import type { PartWire } from './wire.js'

/** Nothing ends a stream of this dialect but its end. */
export const STREAM_TERMINATOR: Uint8Array = new Uint8Array(0)

interface OpenCandidate {
  readonly calls: Map<number, HeldCall>
  finish: FinishPart | undefined
  isRefusal: boolean
  /** The proof that goes with the next part. */
  proof: string | undefined
}

/**
 * An encoder for one stream of answers. A call can only be said whole, so calls wait until the answer is; the reason to stop and the
 * counts are said together and last, since other dialects count behind the reason.
 */
export function createStreamEncoder(options: StreamEncoderOptions): StreamEncoder {
  const candidates = new Map<number, OpenCandidate>()
  let { id, model } = options
  let usage: Usage | undefined

  function encodePart(part: Part): string {
    switch (part.type) {
      case 'start':
        id = part.id ?? id
        model = options.model ?? part.model
        return ''
      case 'usage':
        usage = { ...usage, ...part.usage }
        return ''
      case 'media':
      case 'end':
      case 'error':
        return ''
      case 'finish':
        candidateOf(part.choice).finish ??= part
        return ''
      case 'text':
      case 'refusal': {
        const candidate = candidateOf(part.choice)
        candidate.isRefusal ||= part.type === 'refusal'
        if (part.text === '') return ''
        const { proof } = candidate
        candidate.proof = undefined
        return event(part.choice, [textPart(part.text, false, proof)])
      }
      case 'reasoning': {
        const signature = options.isForeign === true ? undefined : part.signature
        if (part.text !== '') return event(part.choice, [textPart(part.text, true, signature)])
        if (signature !== undefined) candidateOf(part.choice).proof = signature
        return ''
      }
      case 'tool-call': {
        const candidate = candidateOf(part.choice)
        if (holdCall(candidate.calls, part, candidate.proof)) candidate.proof = undefined
        return ''
      }
    }
  }

  function candidateOf(choice = 0): OpenCandidate {
    const known = candidates.get(choice)
    if (known !== undefined) return known
    const candidate = { calls: new Map(), finish: undefined, isRefusal: false, proof: undefined }
    candidates.set(choice, candidate)
    return candidate
  }

  function event(choice = 0, parts: readonly PartWire[]): string {
    return answerEvent([{ content: { parts, role: 'model' }, index: choice }])
  }

  function answerEvent(list: readonly Readonly<Record<string, unknown>>[], isLast = false): string {
    const counted = isLast && usage !== undefined ? { usageMetadata: usageWire(usage) } : undefined
    return `data: ${JSON.stringify({ candidates: list, ...counted, modelVersion: model ?? '', responseId: id })}\n\n`
  }

  function lastWords([index, { calls, finish, isRefusal, proof }]: readonly [number, OpenCandidate]): Readonly<Record<string, unknown>> {
    const parts = [...callParts(calls), ...(proof === undefined ? [] : [textPart('', false, proof)])]
    return {
      content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
      ...(finish === undefined ? undefined : { finishReason: finishWord(finish, isRefusal) }),
      index,
    }
  }

  return {
    push(parts) {
      let text = ''
      for (const part of parts) text += encodePart(part)
      return text === '' ? undefined : Buffer.from(text, 'utf8')
    },
    end() {
      candidateOf()
      const last = [...candidates].sort(([one], [other]) => one - other).map(lastWords)
      return Buffer.from(answerEvent(last, true), 'utf8')
    },
  }
}
