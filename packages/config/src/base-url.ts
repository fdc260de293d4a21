import { quote } from './show.js'

/** Paths that a dialect appends by itself; people copy them along from a vendor's page. */
const APPENDED = /\/(?:chat\/completions|completions|messages|responses|embeddings)$/
/** The same of Gemini, with a model's name behind it or not. Without a version in front it may be where a host's own paths begin. */
const MODELS = /(?<=\/v\d+(?:(?:alpha|beta)\d*)?)\/models(?:\/.*)?$/

/** A base URL as the program uses it, or what is wrong with it. No message shows one that may hold a password or a key. */
export function readBaseURL(text: string): { readonly url: string } | { readonly wrong: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { wrong: notHttp(text) }
  }
  if (url.username !== '' || url.password !== '') return { wrong: 'holds credentials; give them as apiKey or headers' }
  if (url.search !== '' || url.hash !== '') return { wrong: 'has a query or a fragment; it must end with the path' }
  const path = url.pathname.replace(/\/+$/, '')
  const appended = APPENDED.exec(path)
  if (appended !== null) return { wrong: `must end before ${appended[0]}, which is appended to it` }
  if (MODELS.test(path)) return { wrong: 'must end before /models, which is appended to it with the name of the model' }
  return { url: `${url.origin}${path}` }
}

function notHttp(text: string): string {
  if (text === '') return 'is empty; it must be an http:// or https:// URL'
  const shown = /[@?]/.test(text) ? '' : `is ${quote(text)}, which `
  return `${shown}is not an http:// or https:// URL`
}
