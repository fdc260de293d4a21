import type { ContentBlock, MediaSource } from '@understudy/core'
import { otherBlock } from '../other-block.js'
import { defined, isObject, objectOf, textOf, type JsonObject } from '../read-json.js'
import type { Refuse } from '../untranslatable.js'
import { camelMembers } from './camel-members.js'
import { isInStorage, isStoragePart } from './native.js'

/** https://ai.google.dev/gemini-api/docs/image-understanding */
const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'])

/** What the end of a URL's path says of what is there, where nobody says it. */
const TYPE_OF_ENDING: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['heic', 'image/heic'],
  ['heif', 'image/heif'],
  ['gif', 'image/gif'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
])

/** Members of a part that say how its media is read, which no other dialect can say. */
const HOW_READ = ['videoMetadata', 'mediaResolution'] as const

/** One part, but for calls and their results, which are no content. Its names are as the API's JSON has them. */
export function decodePart(part: JsonObject): readonly ContentBlock[] {
  const text = typeof part.text === 'string' ? part.text : undefined
  const signature = textOf(part.thoughtSignature)
  if (part.thought === true) return [defined<ContentBlock>({ type: 'reasoning', text: text ?? '', signature })]
  const proof: readonly ContentBlock[] = signature === undefined ? [] : [{ type: 'reasoning', text: '', signature }]
  if (text !== undefined) return text === '' && signature !== undefined ? proof : [...proof, { type: 'text', text }]
  return [...proof, decodeMedia(part)]
}

function decodeMedia(part: JsonObject): ContentBlock {
  const how = HOW_READ.find((key) => part[key] !== undefined)
  if (how !== undefined) return otherBlock(part, how)
  const inline = objectOf(part.inlineData)
  if (inline !== undefined) {
    const { mimeType, data } = camelMembers(inline)
    return mediaBlock(part, textOf(mimeType) ?? '', { type: 'base64', mediaType: textOf(mimeType) ?? '', data: textOf(data) ?? '' })
  }
  const file = objectOf(part.fileData)
  if (file !== undefined) {
    const { mimeType, fileUri } = camelMembers(file)
    const url = textOf(fileUri) ?? ''
    if (!isPublic(url)) return otherBlock(part, isInStorage(url) ? 'fileData-gs' : 'fileData-uploaded')
    return mediaBlock(part, textOf(mimeType) ?? typeOfUrl(url) ?? '', { type: 'url', url })
  }
  return otherBlock(part, Object.keys(part).find((key) => isObject(part[key])) ?? 'part')
}

/** Sound and moving pictures are nothing that the neutral form can say. */
function mediaBlock(part: JsonObject, mediaType: string, source: MediaSource): ContentBlock {
  const [kind] = mediaType.toLowerCase().split('/', 1)
  if (kind === 'audio' || kind === 'video') return otherBlock(part, kind)
  return { type: kind === 'image' ? 'image' : 'file', source }
}

/** Whether others than Google can read what is there: no bucket of its storage, nothing that was uploaded to it. */
function isPublic(url: string): boolean {
  return /^https:/i.test(url) && !/^https:\/\/generativelanguage\.googleapis\.com\//i.test(url)
}

function typeOfUrl(url: string): string | undefined {
  const ending = /\.([A-Za-z0-9]{1,5})(?:[?#]|$)/.exec(url)?.[1]
  return TYPE_OF_ENDING.get(ending?.toLowerCase() ?? '')
}

/** The part that says a block; `undefined` for one that says nothing. Thoughts are no matter of this. */
export function encodeBlock(block: Exclude<ContentBlock, { readonly type: 'reasoning' }>, isOwn: boolean, refuse: Refuse) {
  switch (block.type) {
    case 'text':
      return block.text === '' ? undefined : { text: block.text }
    case 'image':
      return imagePart(block.source, refuse)
    case 'file':
      return filePart(block.source, refuse)
    case 'other':
      return (isOwn && isObject(block.value)) || isStoragePart(block.value) ? { ...block.value } : refuse(block.feature)
  }
}

function imagePart(source: MediaSource, refuse: Refuse): Record<string, unknown> {
  if (source.type === 'url') return urlPart(source.url, 'image', refuse)
  const given = source.mediaType.toLowerCase()
  const mimeType = given === 'image/jpg' ? 'image/jpeg' : given
  return IMAGE_TYPES.has(mimeType) ? { inlineData: { mimeType, data: source.data } } : refuse('image-media_type')
}

/** https://ai.google.dev/gemini-api/docs/document-processing */
function filePart(source: MediaSource, refuse: Refuse): Record<string, unknown> {
  if (source.type === 'url') return urlPart(source.url, 'file', refuse)
  const mimeType = source.mediaType.toLowerCase()
  const isDocument = mimeType === 'application/pdf' || mimeType === 'application/json' || mimeType.startsWith('text/')
  return isDocument ? { inlineData: { mimeType, data: source.data } } : refuse('file-media_type')
}

/** https://ai.google.dev/gemini-api/docs/file-input-methods: from anywhere by https. */
function urlPart(url: string, kind: 'image' | 'file', refuse: Refuse): Record<string, unknown> {
  if (!/^https:/i.test(url)) return refuse(`${kind}-url`)
  const mimeType = typeOfUrl(url)
  if (kind === 'image' && mimeType !== undefined && !IMAGE_TYPES.has(mimeType)) return refuse('image-media_type')
  return { fileData: defined({ mimeType, fileUri: url }) }
}
