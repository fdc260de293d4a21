import { MODELS_PATH, readContentPath } from './content-path.js'

/** What a client speaks at a path. */
export type Surface = 'chat' | 'messages' | 'responses' | 'gemini' | 'embeddings' | 'models' | 'policy-check'

/** One path that is ours. */
export interface SurfacePath {
  readonly method: 'GET' | 'POST'
  /** Relative to the mount, without a trailing slash. A `*` at its end stands for the rest of a path. */
  readonly path: string
  readonly surface: Surface
  /** Whether it is ours at the root of a host only with `shortPaths`. */
  readonly short: boolean
}

/** Where a mount stands, and what it takes there. */
export interface MountPlace {
  readonly atRoot: boolean
  readonly shortPaths: boolean
}

/** Every path that is ours. HEAD counts as GET; one trailing slash is accepted on each. */
export const SURFACE_PATHS: readonly SurfacePath[] = [
  { method: 'POST', path: '/', surface: 'chat', short: true },
  { method: 'POST', path: '/completions', surface: 'chat', short: true },
  { method: 'POST', path: '/chat/completions', surface: 'chat', short: false },
  { method: 'POST', path: '/v1/chat/completions', surface: 'chat', short: false },
  { method: 'POST', path: '/messages', surface: 'messages', short: true },
  { method: 'POST', path: '/v1/messages', surface: 'messages', short: false },
  { method: 'POST', path: '/responses', surface: 'responses', short: true },
  { method: 'POST', path: '/v1/responses', surface: 'responses', short: false },
  { method: 'POST', path: `${MODELS_PATH}*`, surface: 'gemini', short: false },
  { method: 'POST', path: '/embeddings', surface: 'embeddings', short: true },
  { method: 'POST', path: '/v1/embeddings', surface: 'embeddings', short: false },
  { method: 'POST', path: '/policy-check', surface: 'policy-check', short: true },
  { method: 'POST', path: '/v1/policy-check', surface: 'policy-check', short: false },
  { method: 'GET', path: '/models', surface: 'models', short: true },
  { method: 'GET', path: '/v1/models', surface: 'models', short: false },
]

// A host's every request is looked up here when we are mounted at its root.
const POSTS = byPath('POST')
const GETS = byPath('GET')

function byPath(method: SurfacePath['method']): ReadonlyMap<string, SurfacePath> {
  return new Map(SURFACE_PATHS.filter((row) => row.method === method).map((row) => [row.path, row]))
}

/** The row of a request, `undefined` if it is not ours. `path` is relative to the mount, undecoded, without the query. */
export function matchPath(method: string, path: string, { atRoot, shortPaths }: MountPlace): SurfacePath | undefined {
  const rows = method === 'POST' ? POSTS : method === 'GET' || method === 'HEAD' ? GETS : undefined
  if (rows === undefined) return undefined
  const row = rows.get(path.length > 2 && path.endsWith('/') ? path.slice(0, -1) : path) ?? contentRow(method, path)
  return row !== undefined && row.short && atRoot && !shortPaths ? undefined : row
}

function contentRow(method: string, path: string): SurfacePath | undefined {
  return method === 'POST' && readContentPath(path) !== undefined ? POSTS.get(`${MODELS_PATH}*`) : undefined
}
