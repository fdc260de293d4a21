import type { FinishReason } from '@understudy/core'
import { textOf, type JsonObject } from '../read-json.js'

/**
 * `incomplete_details.reason` -> why the model stopped; anything else is `unknown`.
 *
 * https://platform.openai.com/docs/api-reference/responses/object
 */
const INCOMPLETE_REASONS = new Map<string, FinishReason>(Object.entries({
  max_output_tokens: 'length',
  content_filter: 'content_filter',
} as const satisfies Record<string, FinishReason>))

/** Why the model stopped, from `incomplete_details.reason`. */
export function incompleteReasonOf(word: string): FinishReason {
  return INCOMPLETE_REASONS.get(word) ?? 'unknown'
}

/** Why the model stopped -> `incomplete_details.reason`; an answer that stopped for any other reason is `completed`. */
export const INCOMPLETE_WORDS: Readonly<Partial<Record<FinishReason, string>>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

/** Strings of an event that may vary while it stays plain: output text, and what events are padded with. */
export const PLAIN_KEYS: readonly string[] = ['delta', 'obfuscation']

/** Whole numbers of an event that may vary while it stays plain: events are counted. */
export const PLAIN_NUMBERS: readonly string[] = ['sequence_number']

/** Keys of an event whose values are output. */
export const OUTPUT_KEYS: readonly string[] = [
  'delta',
  'text',
  'refusal',
  'arguments',
  'name',
  'input',
  'output',
  'summary',
  'content',
  'encrypted_content',
  'partial_image_b64',
  'code',
]

/** Tokens as the wire counts them; clients count on both details. */
export interface UsageWire {
  readonly input_tokens: number
  readonly input_tokens_details: { readonly cached_tokens: number }
  readonly output_tokens: number
  readonly output_tokens_details: { readonly reasoning_tokens: number }
  readonly total_tokens: number
}

/** How far an item is. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** An item of an answer. */
export type ItemWire =
  | {
      readonly id: string
      readonly type: 'message'
      readonly status: ItemStatus
      readonly role: 'assistant'
      readonly content: readonly ContentWire[]
    }
  | {
      readonly id: string
      readonly type: 'reasoning'
      readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
      readonly encrypted_content?: string
    }
  | {
      readonly id: string
      readonly type: 'function_call'
      readonly status: ItemStatus
      readonly arguments: string
      readonly call_id: string
      readonly name: string
    }

/** A part of a message. */
export type ContentWire =
  | { readonly type: 'output_text'; readonly annotations: readonly []; readonly logprobs: readonly []; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }

/** What a reasoning item is known by: the service looks its thoughts up by the id, or reads them out of what it encrypted for it. */
export interface Proof {
  readonly id: string
  readonly encrypted: string | undefined
}

/** What has an id in an answer, by what the ids of its kind begin with. */
export type IdKind = 'resp' | 'msg' | 'rs' | 'fc'

const MADE_UP = /^(?:resp|msg|rs|fc)_understudy_/

/**
 * The id of what the service did not give one: it knows nothing of that name, and refuses a request that refers to it. `name` tells it from
 * others of its kind; no longer than the service takes (64 characters).
 */
export function madeUpId(kind: IdKind, name: string): string {
  return `${kind}_understudy_${name}`
}

/** Whether an id that a client sends back is one of those. */
export function isMadeUpId(id: unknown): boolean {
  return typeof id === 'string' && MADE_UP.test(id)
}

/** The letters and digits of an id, without what ids of its kind begin with: at most 40. */
export function plainName(id: string): string {
  return id.replace(/^(?:(?:resp|msg|chatcmpl)[_-])?(?:understudy_)?/, '').replace(/[^A-Za-z0-9]/g, '').slice(0, 40)
}

/** The proof of a reasoning item as one text; `undefined` for an item without an id. Neither half has spaces. */
export function proofOf(item: JsonObject): string | undefined {
  const id = textOf(item.id)
  const encrypted = textOf(item.encrypted_content)
  return id === undefined || encrypted === undefined ? id : `${id} ${encrypted}`
}

/** The proof that a text holds. */
export function readProof(signature: string): Proof {
  const [id = '', encrypted] = signature.split(' ', 2)
  return { id, encrypted }
}
