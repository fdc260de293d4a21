/** What the connection decides, not whoever writes headers into a config. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Whether a header, by its name in any case, is written by whoever sends the request and never by a person. */
export function isConnectionHeader(name: string): boolean {
  return OF_THE_CONNECTION.has(name.toLowerCase())
}
