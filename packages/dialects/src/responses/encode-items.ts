import type { ContentBlock, Message } from '@understudy/core'
import { asFailed } from '../openai/encode-request.js'
import { isObject } from '../read-json.js'
import type { Refuse } from '../untranslatable.js'
import { encodeContent } from './content-blocks.js'
import { readProof } from './wire.js'

type Wire = Record<string, unknown>

/** The turns of a request as the API wants them. */
export interface Input {
  readonly instructions: string | undefined
  readonly input: readonly Wire[]
}

/**
 * A plain system turn in front of others goes into `instructions`, any other stays in its place. A call and its output are items of
 * their own. `isOwn`: the request came in this dialect, so that what only this dialect can say is said again.
 *
 * https://platform.openai.com/docs/api-reference/responses/create
 */
export function encodeItems(messages: readonly Message[], isOwn: boolean, refuse: Refuse): Input {
  const [first, ...others] = messages
  const [block, ...more] = first?.content ?? []
  const isPlain = first?.role === 'system' && first.name === undefined && block?.type === 'text' && more.length === 0
  if (!isPlain || others.length === 0) return { instructions: undefined, input: itemsOf(messages, isOwn, refuse) }
  return { instructions: block.text, input: itemsOf(others, isOwn, refuse) }
}

function itemsOf(messages: readonly Message[], isOwn: boolean, refuse: Refuse): readonly Wire[] {
  const items = messages.flatMap((message): readonly Wire[] => {
    const { role, content, name } = message
    // The name of a tool's result only says again what its id says.
    if (name !== undefined && role !== 'tool') refuse('message-name')
    if (role === 'assistant') return [...saidItems(content, isOwn, refuse), ...callItems(message)]
    if (role === 'tool') return [outputItem(message, isOwn, refuse)]
    return [...foreignItems(content, isOwn, refuse), ...turnItem(role, content, refuse, isOwn)]
  })
  return items.length === 0 ? refuse('no-turn') : items
}

function turnItem(role: 'system' | 'user', content: readonly ContentBlock[], refuse: Refuse, isOwn: boolean): readonly Wire[] {
  const blocks = content.filter((block) => block.type !== 'reasoning' && !isItem(block))
  const media = role === 'system' ? blocks.find(({ type }) => type === 'image' || type === 'file') : undefined
  if (media !== undefined) refuse(`system-${media.type}`)
  if (blocks.length === 0 && content.length > 0) return []
  return [{ role, content: encodeContent(blocks, isOwn, refuse) }]
}

/** Blocks that are whole items of this API; parts of a message are called `input_*`. */
function isItem(block: ContentBlock): boolean {
  return block.type === 'other' && isObject(block.value) && !String(block.value.type).startsWith('input_')
}

function foreignItems(content: readonly ContentBlock[], isOwn: boolean, refuse: Refuse): readonly Wire[] {
  return content.flatMap((block) => (block.type === 'other' && isItem(block) ? [ownValue(block, isOwn, refuse)] : []))
}

function ownValue(block: ContentBlock & { readonly type: 'other' }, isOwn: boolean, refuse: Refuse): Wire {
  return isOwn && isObject(block.value) ? { ...block.value } : refuse(block.feature)
}

/** What the model said in a turn, in order: texts in a row are one message. A thought of another provider stays behind. */
function saidItems(content: readonly ContentBlock[], isOwn: boolean, refuse: Refuse): readonly Wire[] {
  const items: Wire[] = []
  let texts: string[] = []
  const flush = () => {
    const [only = ''] = texts
    if (texts.length === 1) items.push({ role: 'assistant', content: only })
    if (texts.length > 1) items.push({ role: 'assistant', content: texts.map((text) => ({ type: 'output_text', text })) })
    texts = []
  }
  for (const block of content) {
    if (block.type === 'text') {
      if (block.text !== '') texts.push(block.text)
    } else if (block.type === 'reasoning') {
      if (!isOwn || block.signature === undefined) continue
      flush()
      items.push(reasoningItem(block.text, block.signature))
    } else if (block.type === 'other') {
      flush()
      items.push(ownValue(block, isOwn, refuse))
    } else {
      refuse(`assistant-${block.type}`)
    }
  }
  flush()
  return items
}

function reasoningItem(text: string, signature: string): Wire {
  const { id, encrypted } = readProof(signature)
  return {
    type: 'reasoning',
    id,
    summary: text === '' ? [] : [{ type: 'summary_text', text }],
    ...(encrypted === undefined ? undefined : { encrypted_content: encrypted }),
  }
}

function callItems({ toolCalls = [] }: Message): readonly Wire[] {
  return toolCalls.map(({ id, name, arguments: text }) => ({ type: 'function_call', call_id: id, name, arguments: text }))
}

function outputItem({ toolCallId, content, isError }: Message, isOwn: boolean, refuse: Refuse): Wire {
  const blocks = content.filter((block) => block.type !== 'reasoning')
  const output = encodeContent(isError === true ? asFailed(blocks) : blocks, isOwn, refuse)
  return { type: 'function_call_output', call_id: toolCallId ?? refuse('tool-result-id'), output }
}
