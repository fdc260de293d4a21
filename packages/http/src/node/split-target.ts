/** Path and query of a request target (`req.url`), undecoded; the query without its `?`. */
export function splitTarget(target: string | undefined): { readonly path: string; readonly query: string } {
  if (target === undefined) return { path: '/', query: '' }
  const mark = target.indexOf('?')
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}
