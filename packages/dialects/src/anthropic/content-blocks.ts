import type { ContentBlock, MediaSource } from '@understudy/core'
import { otherBlock } from '../other-block.js'
import { defined, isObject, listOf, objectOf, textOf, type JsonObject } from '../read-json.js'
import type { Refuse } from '../untranslatable.js'

/** https://platform.claude.com/docs/en/build-with-claude/vision */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

/** The content of a turn: a string, or blocks. */
export function decodeContent(content: unknown): readonly ContentBlock[] {
  return typeof content === 'string' ? blocksOfText(content) : listOf(content).filter(isObject).map(decodeBlock)
}

function blocksOfText(text: string): readonly ContentBlock[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** The mark of a block, a tool, a call or a result. How long it is kept is no neutral matter. */
export function cachePointOf({ cache_control: control }: JsonObject): { readonly cachePoint?: true } {
  return objectOf(control)?.type === 'ephemeral' ? { cachePoint: true } : {}
}

/** One block, but for the calls of tools and their results, which are no content. */
export function decodeBlock(block: JsonObject): ContentBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: textOf(block.text) ?? '', ...cachePointOf(block) }
    case 'image': {
      const source = mediaSourceOf(objectOf(block.source))
      return source === undefined ? otherBlock(block, 'image-file_id') : { type: 'image', source, ...cachePointOf(block) }
    }
    case 'document':
      return decodeDocument(block)
    case 'thinking':
      return defined<ContentBlock>({
        type: 'reasoning',
        text: textOf(block.thinking) ?? '',
        signature: textOf(block.signature),
      })
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', redacted: textOf(block.data) ?? '' }
    default:
      return otherBlock(block, textOf(block.type) ?? 'content')
  }
}

/** What the answer depends on beyond the document's own bytes is nothing that a file can say. */
function decodeDocument(block: JsonObject): ContentBlock {
  if (objectOf(block.citations)?.enabled === true) return otherBlock(block, 'citations')
  if (textOf(block.context) !== undefined) return otherBlock(block, 'document-context')
  const given = objectOf(block.source)
  const source = mediaSourceOf(given)
  const name = textOf(block.title)
  if (source === undefined) return otherBlock(block, given?.type === 'content' ? 'document-content' : 'document-file_id')
  return { type: 'file', source, ...(name === undefined ? undefined : { name }), ...cachePointOf(block) }
}

function mediaSourceOf(source: JsonObject | undefined): MediaSource | undefined {
  const data = typeof source?.data === 'string' ? source.data : undefined
  switch (source?.type) {
    case 'base64':
      return data === undefined ? undefined : { type: 'base64', mediaType: textOf(source.media_type) ?? '', data }
    case 'text':
      return data === undefined
        ? undefined
        : { type: 'base64', mediaType: 'text/plain', data: Buffer.from(data, 'utf8').toString('base64') }
    case 'url': {
      const url = textOf(source.url)
      return url === undefined ? undefined : { type: 'url', url }
    }
    default:
      return undefined
  }
}

/** Blocks of a turn; `undefined` for one that says nothing: the API refuses a text without any, and white space alone is none. */
export function encodeBlock(block: ContentBlock, isOwn: boolean, refuse: Refuse): Record<string, unknown> | undefined {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? undefined : { type: 'text', text: block.text, ...cacheControlOf(block) }
    case 'image':
      return { type: 'image', source: imageSource(block.source, refuse), ...cacheControlOf(block) }
    case 'file':
      return defined({ type: 'document', source: documentSource(block.source, refuse), title: block.name, ...cacheControlOf(block) })
    case 'reasoning':
      return isOwn ? thinkingOf(block) : undefined
    case 'other':
      return isOwn && isObject(block.value) ? { ...block.value } : refuse(block.feature)
  }
}

/** The way back of `cachePointOf`. https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
export function cacheControlOf({ cachePoint }: { readonly cachePoint?: boolean | undefined }): Record<string, unknown> {
  return cachePoint === true ? { cache_control: { type: 'ephemeral' } } : {}
}

/** A thought without its proof is refused by the API, and stays behind. */
function thinkingOf({ text, signature, redacted }: ContentBlock & { readonly type: 'reasoning' }) {
  if (redacted !== undefined) return { type: 'redacted_thinking', data: redacted }
  return signature === undefined ? undefined : { type: 'thinking', thinking: text, signature }
}

function imageSource(source: MediaSource, refuse: Refuse): Record<string, unknown> {
  if (source.type === 'url') return urlSource(source.url, 'image-url', refuse)
  const { mediaType, data } = source
  const type = mediaType.toLowerCase() === 'image/jpg' ? 'image/jpeg' : mediaType.toLowerCase()
  return IMAGE_TYPES.has(type) ? { type: 'base64', media_type: type, data } : refuse('image-media_type')
}

/** https://platform.claude.com/docs/en/build-with-claude/pdf-support */
function documentSource(source: MediaSource, refuse: Refuse): Record<string, unknown> {
  if (source.type === 'url') return urlSource(source.url, 'file-url', refuse)
  const { mediaType, data } = source
  switch (mediaType.toLowerCase()) {
    case 'application/pdf':
      return { type: 'base64', media_type: 'application/pdf', data }
    case 'text/plain':
      return { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString('utf8') }
    default:
      return refuse('file-media_type')
  }
}

function urlSource(url: string, feature: string, refuse: Refuse): Record<string, unknown> {
  return /^https:/i.test(url) ? { type: 'url', url } : refuse(feature)
}
