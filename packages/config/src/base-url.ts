/** Paths that a dialect appends by itself; people copy them along from a vendor's page. */
const APPENDED = /\/(?:chat\/completions|completions|messages|responses|embeddings)$/

/** A base URL as the program uses it, or what is wrong with it. It may hold a password, so no message shows it. */
export function readBaseURL(text: string): { readonly url: string } | { readonly wrong: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { wrong: 'is not an http:// or https:// URL' }
  }
  if (url.username !== '' || url.password !== '') return { wrong: 'holds credentials; give them as apiKey or headers' }
  if (url.search !== '' || url.hash !== '') return { wrong: 'has a query or a fragment; it must end with the path' }
  const path = url.pathname.replace(/\/+$/, '')
  const appended = APPENDED.exec(path)
  if (appended !== null) return { wrong: `must end before ${appended[0]}, which is appended to it` }
  return { url: `${url.origin}${path}` }
}
