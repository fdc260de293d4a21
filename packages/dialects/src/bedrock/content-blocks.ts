import type { ContentBlock, MediaSource } from '@understudy/core'
import type { Refuse } from '../untranslatable.js'
import type { CachePlaces } from './cache-points.js'
import { redactedBlob } from './wire.js'

type Wire = Record<string, unknown>

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ImageBlock.html */
const IMAGE_FORMATS: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
])

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html */
const DOCUMENT_FORMATS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
])

/** What the blocks of one request are made with. */
export interface BlockContext {
  readonly refuse: Refuse
  /** Whether the model takes the thoughts of earlier turns, so that those with a proof are said again. */
  readonly keepsThoughts: boolean
  readonly cachePlaces: CachePlaces
  /** Names given to documents so far: no two may have the same. */
  readonly documentNames: Set<string>
}

/** The block that says one of a turn; `undefined` for one that says nothing: the API refuses blank text. */
export function encodeBlock(block: ContentBlock, context: BlockContext): Wire | undefined {
  const { refuse } = context
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? undefined : { text: block.text }
    case 'image':
      return { image: media(block.source, IMAGE_FORMATS, 'image', refuse) }
    case 'file': {
      const { format, source } = media(block.source, DOCUMENT_FORMATS, 'file', refuse)
      return { document: { format, name: documentName(block.name, context.documentNames), source } }
    }
    case 'reasoning':
      return context.keepsThoughts ? thoughtOf(block) : undefined
    case 'other':
      return refuse(block.feature)
  }
}

/** The API takes bytes, and nothing that it would have to fetch but from S3. */
function media(source: MediaSource, formats: ReadonlyMap<string, string>, kind: 'image' | 'file', refuse: Refuse) {
  if (source.type === 'url') return refuse(`${kind}-url`)
  const format = formats.get(source.mediaType.toLowerCase().split(';', 1)[0]?.trim() ?? '')
  return format === undefined ? refuse(`${kind}-media_type`) : { format, source: { bytes: source.data } }
}

/** Letters, digits, single spaces, hyphens, parentheses and brackets. A file without a name gets one that says nothing, as the API advises. */
function documentName(given: string | undefined, taken: Set<string>): string {
  const plain = given?.replace(/\.\w{1,5}$/, '').replace(/[^A-Za-z0-9()[\]-]+/g, ' ').trim().slice(0, 180)
  const base = plain === undefined || plain === '' ? 'document' : plain
  let name = base
  for (let number = 2; taken.has(name); number++) name = `${base} ${number}`
  taken.add(name)
  return name
}

/** A thought without its proof is refused by the API, and stays behind. */
function thoughtOf({ text, signature, redacted }: ContentBlock & { readonly type: 'reasoning' }): Wire | undefined {
  if (redacted !== undefined) return { reasoningContent: { redactedContent: redactedBlob(redacted) } }
  return signature === undefined ? undefined : { reasoningContent: { reasoningText: { text, signature } } }
}
