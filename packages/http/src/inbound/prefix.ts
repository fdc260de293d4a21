import { ConfigError } from '@understudy/config'

/**
 * Checks the prefix that a person wrote and gives it the form `/chat`, with one slash in front and none behind; empty for the
 * root. Anything but a path without query and fragment is refused with the right call.
 */
export function normalisePrefix(prefix: unknown): string {
  if (prefix === undefined) return ''
  if (typeof prefix !== 'string' || /[\s?#*:]|\/\//.test(prefix)) {
    const received = typeof prefix === 'string' ? JSON.stringify(prefix) : typeof prefix
    throw new ConfigError([
      { path: 'prefix', message: `received ${received}; write a plain path, as in { prefix: '/chat' }` },
    ])
  }
  const bare = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
  return bare === '' || bare.startsWith('/') ? bare : `/${bare}`
}

/** The rest of `path` under a normalised prefix, `undefined` if it is not under it: `/chatty` is not under `/chat`. */
export function pathUnder(prefix: string, path: string): string | undefined {
  if (!path.startsWith(prefix)) return undefined
  const rest = path.slice(prefix.length)
  if (rest === '') return '/'
  return rest.startsWith('/') ? rest : undefined
}

/**
 * The path under a normalised prefix of a route that has matched: its pattern, where that says it all, and behind a `*` what the request's
 * own path has there, undecoded. `/` if the pattern is not under the prefix.
 */
export function routedPath(prefix: string, pattern: string, path: string): string {
  const under = pathUnder(prefix, pattern) ?? '/'
  if (!under.endsWith('*')) return under
  const before = pattern.split('/').length - 2
  // A router may take several slashes for one.
  return under.slice(0, -1) + path.replace(new RegExp(`^(?:/+[^/]+){${before}}/+`), '')
}
