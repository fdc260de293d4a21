// A proxy's form: scheme and host go before the path. What begins with a slash is a path, `//host` too.
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** Path and query of a request target (`req.url`) in any of its forms, undecoded; the query without its `?`. */
export function splitTarget(target: string | undefined): { readonly path: string; readonly query: string } {
  if (target === undefined) return { path: '/', query: '' }
  const local = target.startsWith('/') ? target : target.replace(ABSOLUTE, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  return { path: path === '' ? '/' : path, query: mark === -1 ? '' : local.slice(mark + 1) }
}
