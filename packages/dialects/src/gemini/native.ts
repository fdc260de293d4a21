import type { ChatRequest, ContentBlock, Message } from '@understudy/core'
import { defined, isObject, objectOf, textOf, type JsonObject } from '../read-json.js'
import { camelMembers } from './camel-members.js'

/** What the end of an object's name says of what is there. https://ai.google.dev/gemini-api/docs/file-input-methods */
const TYPE_OF_ENDING: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'], ['jpg', 'image/jpeg'], ['jpeg', 'image/jpeg'], ['webp', 'image/webp'], ['heic', 'image/heic'], ['heif', 'image/heif'],
  ['pdf', 'application/pdf'], ['txt', 'text/plain'], ['html', 'text/html'], ['csv', 'text/csv'],
  ['mp4', 'video/mp4'], ['mov', 'video/quicktime'], ['mpeg', 'video/mpeg'], ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'], ['wav', 'audio/wav'], ['flac', 'audio/flac'], ['ogg', 'audio/ogg'],
])

/** Whether a place is a bucket of Google's storage, which nobody else can read. */
export function isInStorage(uri: unknown): uri is string {
  return typeof uri === 'string' && /^gs:\/\//i.test(uri)
}

/** Whether a part of a turn stands in a bucket. */
export function isStoragePart(value: unknown): value is JsonObject {
  return isObject(value) && isInStorage(objectOf(value.fileData)?.fileUri)
}

/**
 * Lays what only this dialect can say over a body: `cached_content`, `response_schema` and `thinking_config`, in the names of the API's
 * protocol or of its JSON. A schema binds only an answer that is JSON.
 */
export function withNative(body: Record<string, unknown>, native: NonNullable<ChatRequest['native']>): Record<string, unknown> {
  const { cachedContent, responseSchema, thinkingConfig } = camelMembers(native)
  const { responseJsonSchema, ...config } = objectOf(body['generationConfig']) ?? {}
  const generationConfig = defined({
    ...config,
    ...(responseSchema === undefined ? { responseJsonSchema } : { responseMimeType: 'application/json', responseSchema }),
    ...(thinkingConfig === undefined ? undefined : { thinkingConfig: camelMembers(objectOf(thinkingConfig) ?? {}) }),
  })
  return defined({
    ...body,
    cachedContent,
    generationConfig: Object.keys(generationConfig).length === 0 ? undefined : generationConfig,
  })
}

/** A turn whose images and files in a bucket are parts of this dialect. */
export function withStorage(message: Message): Message {
  return message.content.some(({ type }) => type === 'other') ? { ...message, content: message.content.map(storageBlock) } : message
}

function storageBlock(block: ContentBlock): ContentBlock {
  if (block.type !== 'other') return block
  const media = mediaIn(block.value)
  const uri = media === undefined ? undefined : [media.url, media.file_url, media.file_data].find(isInStorage)
  if (uri === undefined) return block
  const mimeType = textOf(media?.mime_type) ?? TYPE_OF_ENDING.get(/\.([A-Za-z0-9]{1,5})$/.exec(uri)?.[1]?.toLowerCase() ?? '')
  return mimeType === undefined ? { ...block, feature: 'gs-media_type' } : { ...block, value: { fileData: { mimeType, fileUri: uri } } }
}

/** What a content part of OpenAI's says of its image or file. */
function mediaIn(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined
  return objectOf(value.image_url) ?? objectOf(value.file) ?? { url: value.image_url }
}
