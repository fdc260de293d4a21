const PORT = 11434

/**
 * Where an Ollama server is, from OLLAMA_HOST as Ollama's own clients read it: with or without scheme and port. An
 * address that a server listens on (`0.0.0.0`) is reached on the loopback.
 */
export function readOllamaHost(host: string): string {
  const hasScheme = /^https?:\/\//i.test(host)
  const text = hasScheme ? host : `http://${host.startsWith(':') ? `127.0.0.1${host}` : host}`
  if (!URL.canParse(text)) return text
  const url = new URL(text)
  if (url.port === '' && !hasScheme) url.port = String(PORT)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  if (url.pathname === '/') url.pathname = '/v1'
  return url.href
}
