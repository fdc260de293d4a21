import type { FinishPart, Part, Usage } from '@understudy/core'
import { argumentsObject, grownName } from '../call-pieces.js'
import type { ResponseEncoderOptions } from '../dialect-codec.js'
import { FINISH_WORDS, finishReasonOf, type CallWire, type PartWire, type UsageWire } from './wire.js'

/** A call until it is whole. */
export interface HeldCall {
  readonly index: number
  id: string | undefined
  name: string
  text: string
  readonly signature: string | undefined
}

interface Draft {
  readonly isThought: boolean
  text: string
  signature: string | undefined
}

interface Candidate {
  readonly drafts: Draft[]
  readonly calls: Map<number, HeldCall>
  finish: FinishPart | undefined
  isRefusal: boolean
  /** The proof that goes with the next part. */
  proof: string | undefined
}

/** A whole answer as a `GenerateContentResponse`. Calls stand behind the text. */
export function encodeResponse(parts: readonly Part[], options: ResponseEncoderOptions): Record<string, unknown> {
  const candidates = new Map<number, Candidate>()
  let { id, model } = options
  let usage: Usage | undefined

  for (const part of parts) {
    switch (part.type) {
      case 'start':
        id = part.id ?? id
        model = options.model ?? part.model
        break
      case 'usage':
        usage = { ...usage, ...part.usage }
        break
      case 'media':
      case 'end':
      case 'error':
        break
      default:
        addToCandidate(candidateOf(candidates, part.choice ?? 0), part, options.isForeign === true)
    }
  }
  candidateOf(candidates, 0)
  return {
    candidates: [...candidates].sort(([one], [other]) => one - other).map(([index, candidate]) => candidateWire(index, candidate)),
    ...(usage === undefined ? undefined : { usageMetadata: usageWire(usage) }),
    modelVersion: model ?? '',
    responseId: id,
  }
}

function candidateOf(candidates: Map<number, Candidate>, index: number): Candidate {
  const known = candidates.get(index)
  if (known !== undefined) return known
  const candidate = { drafts: [], calls: new Map(), finish: undefined, isRefusal: false, proof: undefined }
  candidates.set(index, candidate)
  return candidate
}

function addToCandidate(candidate: Candidate, part: Extract<Part, { readonly choice?: number | undefined }>, isForeign: boolean): void {
  switch (part.type) {
    case 'text':
    case 'refusal':
      candidate.isRefusal ||= part.type === 'refusal'
      addText(candidate, false, part.text, undefined)
      return
    case 'reasoning': {
      const signature = isForeign ? undefined : part.signature
      if (part.text === '' && signature !== undefined) candidate.proof = signature
      else addText(candidate, true, part.text, signature)
      return
    }
    case 'tool-call':
      if (holdCall(candidate.calls, part, candidate.proof)) candidate.proof = undefined
      return
    case 'finish':
      candidate.finish = part
      return
    case 'media':
      return
  }
}

function addText(candidate: Candidate, isThought: boolean, text: string, ownProof: string | undefined): void {
  const signature = isThought ? ownProof : candidate.proof
  if (text === '') return
  if (!isThought) candidate.proof = undefined
  const last = candidate.drafts.at(-1)
  if (last?.isThought === isThought && signature === undefined && !(isThought && last.signature !== undefined)) last.text += text
  else candidate.drafts.push({ isThought, text, signature })
}

/** Adds a piece of a call to those that are not whole yet. Whether it is the first of its call, which the proof then goes with. */
export function holdCall(
  calls: Map<number, HeldCall>,
  part: Extract<Part, { readonly type: 'tool-call' }>,
  proof: string | undefined,
): boolean {
  const known = calls.get(part.index)
  if (known === undefined) {
    calls.set(part.index, { index: part.index, id: part.id, name: part.name ?? '', text: part.arguments, signature: proof })
    return true
  }
  known.id ??= part.id
  known.name = grownName(known.name, part.name, known.text !== '')
  known.text += part.arguments
  return false
}

/** Calls, whole and in order. */
export function callParts(calls: ReadonlyMap<number, HeldCall>): readonly PartWire[] {
  return [...calls.values()].sort((one, other) => one.index - other.index).map(({ id, name, text, signature }) => {
    const functionCall: CallWire = { ...(id === undefined ? undefined : { id }), name, args: argumentsObject(text) }
    return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature }
  })
}

function candidateWire(index: number, { drafts, calls, finish, isRefusal, proof }: Candidate): Record<string, unknown> {
  const texts = drafts.map(({ isThought, text, signature }): PartWire => textPart(text, isThought, signature))
  const parts = [...texts, ...callParts(calls), ...(proof === undefined ? [] : [textPart('', false, proof)])]
  return {
    content: { parts: parts.length === 0 ? [{ text: '' }] : parts, role: 'model' },
    ...(finish === undefined ? undefined : { finishReason: finishWord(finish, isRefusal) }),
    index,
  }
}

/** A part of text or of a thought. */
export function textPart(text: string, isThought: boolean, signature: string | undefined): PartWire {
  return {
    text,
    ...(isThought ? { thought: true as const } : undefined),
    ...(signature === undefined ? undefined : { thoughtSignature: signature }),
  }
}

/** The word for a reason to stop: the provider's own where it is one of this API's. */
export function finishWord({ reason, raw = '' }: FinishPart, isRefusal: boolean): string {
  if (reason === 'stop' && isRefusal) return FINISH_WORDS.content_filter
  if (reason === 'unknown') return /^[A-Z][A-Z_]+$/.test(raw) ? raw : FINISH_WORDS.unknown
  return finishReasonOf(raw) === reason ? raw : FINISH_WORDS[reason]
}

/** Clients rely on all three sums, so what was not counted is 0 and the total is their sum. */
export function usageWire(usage: Usage): UsageWire {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, reasoningTokens } = usage
  return {
    promptTokenCount: inputTokens,
    ...(cachedInputTokens === undefined ? undefined : { cachedContentTokenCount: cachedInputTokens }),
    candidatesTokenCount: Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    ...(reasoningTokens === undefined ? undefined : { thoughtsTokenCount: reasoningTokens }),
    totalTokenCount: usage.totalTokens ?? inputTokens + outputTokens,
  }
}
