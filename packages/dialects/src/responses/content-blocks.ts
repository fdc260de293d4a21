import type { ContentBlock, MediaSource } from '@understudy/core'
import { sourceOf, urlOf } from '../openai/content-blocks.js'
import { otherBlock } from '../other-block.js'
import { defined, isObject, listOf, textOf, type JsonObject } from '../read-json.js'
import type { Refuse } from '../untranslatable.js'

type Wire = Record<string, unknown>

/** The content of a message or of a tool's result: a string, or parts. */
export function decodeContent(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return listOf(content).filter(isObject).map(decodePart)
}

/** https://platform.openai.com/docs/api-reference/responses/create: the parts of `input`. */
function decodePart(part: JsonObject): ContentBlock {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: textOf(part.text) ?? '' }
    case 'refusal':
      return { type: 'text', text: textOf(part.refusal) ?? '' }
    case 'input_image': {
      const source = sourceOf(textOf(part.image_url))
      // `auto` says no more than its absence.
      const detail = part.detail === 'auto' ? undefined : textOf(part.detail)
      return source === undefined ? otherBlock(part, 'input_image.file_id') : defined<ContentBlock>({ type: 'image', source, detail })
    }
    case 'input_file': {
      const source = sourceOf(textOf(part.file_data)) ?? sourceOf(textOf(part.file_url))
      const name = textOf(part.filename)
      return source === undefined ? otherBlock(part, 'input_file.file_id') : defined<ContentBlock>({ type: 'file', source, name })
    }
    default:
      return otherBlock(part, textOf(part.type) ?? 'content')
  }
}

/** A lone text is a string. `isOwn`: what only this dialect can say is said again. */
export function encodeContent(blocks: readonly ContentBlock[], isOwn: boolean, refuse: Refuse): string | readonly Wire[] {
  const [first] = blocks
  if (first === undefined) return ''
  if (blocks.length === 1 && first.type === 'text') return first.text
  return blocks.map((block) => encodePart(block, isOwn, refuse))
}

function encodePart(block: ContentBlock, isOwn: boolean, refuse: Refuse): Wire {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return { type: 'input_text', text: block.text }
    case 'image':
      return { type: 'input_image', image_url: imageUrl(block.source, refuse), detail: block.detail ?? 'auto' }
    case 'file': {
      const { source, name } = block
      if (source.type === 'url') return defined<Wire>({ type: 'input_file', file_url: httpsUrl(source.url, 'file-url', refuse), filename: name })
      return { type: 'input_file', filename: name ?? 'file', file_data: urlOf(source) }
    }
    case 'other':
      return isOwn && isObject(block.value) ? { ...block.value } : refuse(block.feature)
  }
}

function imageUrl(source: MediaSource, refuse: Refuse): string {
  return source.type === 'url' ? httpsUrl(source.url, 'image-url', refuse) : urlOf(source)
}

function httpsUrl(url: string, feature: string, refuse: Refuse): string {
  return /^https?:/i.test(url) ? url : refuse(feature)
}
