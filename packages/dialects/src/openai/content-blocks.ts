import type { ContentBlock, MediaSource } from '@understudy/core'
import { otherBlock } from '../other-block.js'
import { isObject, listOf, objectOf, textOf, type JsonObject } from '../read-json.js'

const DATA_URL = /^data:([^;,]+)(?:;[^;,]+)*;base64,(.*)$/is

/** The content of a message: a string, or blocks. */
export function decodeContent(content: unknown): readonly ContentBlock[] {
  return typeof content === 'string' ? partsOfText(content) : listOf(content).filter(isObject).map(decodeBlock)
}

/** One text block, or none for what is no text. */
export function partsOfText(value: unknown): readonly ContentBlock[] {
  const text = textOf(value)
  return text === undefined ? [] : [{ type: 'text', text }]
}

function decodeBlock(block: JsonObject): ContentBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: textOf(block.text) ?? '' }
    case 'refusal':
      return { type: 'text', text: textOf(block.refusal) ?? '' }
    case 'image_url': {
      const image = objectOf(block.image_url)
      const source = sourceOf(textOf(image?.url) ?? textOf(block.image_url))
      const detail = textOf(image?.detail)
      if (source === undefined) return otherBlock(block, 'image_url')
      return detail === undefined ? { type: 'image', source } : { type: 'image', source, detail }
    }
    case 'file': {
      const file = objectOf(block.file)
      const source = sourceOf(textOf(file?.file_data))
      const name = textOf(file?.filename)
      // A file id means something to its own provider only.
      if (source === undefined) return otherBlock(block, 'file_id')
      return name === undefined ? { type: 'file', source } : { type: 'file', source, name }
    }
    default:
      return otherBlock(block, textOf(block.type) ?? 'content')
  }
}

/** The source that a URL stands for; `undefined` for one that is neither data nor http. */
export function sourceOf(url: string | undefined): MediaSource | undefined {
  if (url === undefined) return undefined
  const data = DATA_URL.exec(url)
  if (data !== null) return { type: 'base64', mediaType: data[1] ?? '', data: data[2] ?? '' }
  return /^https?:/i.test(url) ? { type: 'url', url } : undefined
}

/** A source as one URL. */
export function urlOf(source: MediaSource): string {
  return source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}
