import type { AnswerHead } from './exchange.js'

type Headers = AnswerHead['headers']

const VISIBLE_PREFIXES = ['x-ratelimit-', 'anthropic-ratelimit-'] as const
const VISIBLE: ReadonlySet<string> = new Set(['openai-processing-ms', 'request-id'])

/** What a header may be to be written again by any server. */
const PRINTABLE = /^[\x20-\x7e]{1,1024}$/

/** A header as one text; `undefined` if it did not come. */
export function headerText(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** All headers, each as one text. */
export function headerTexts(headers: Headers): Record<string, string | undefined> {
  const texts: Record<string, string | undefined> = {}
  for (const name of Object.keys(headers)) texts[name] = headerText(headers, name)
  return texts
}

/** The headers of a provider that a client may see; what is not plain text is left out. */
export function visibleHeaders(headers: Headers): Record<string, string> | undefined {
  let visible: Record<string, string> | undefined
  for (const name of Object.keys(headers)) {
    if (!VISIBLE.has(name) && !VISIBLE_PREFIXES.some((prefix) => name.startsWith(prefix))) continue
    const text = headerText(headers, name)
    if (text === undefined || !PRINTABLE.test(text)) continue
    visible ??= {}
    visible[name] = text
  }
  return visible
}

/** The provider's own name for this request. */
export function providerRequestId(headers: Headers): string | undefined {
  const id = headerText(headers, 'x-request-id') ?? headerText(headers, 'request-id') ?? headerText(headers, 'x-amzn-requestid')
  return id !== undefined && PRINTABLE.test(id) ? id : undefined
}
