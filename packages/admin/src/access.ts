import { thrownWords } from '@understudy/http'
import type { HostFault, InboundHeaders, InboundRequest } from '@understudy/http'

/** A request as the host's `authorize` sees it. The body stays unread. */
export interface AdminRequest {
  readonly method: string
  /** Under the mount: `/pin`, `/status`. */
  readonly path: string
  /** Undecoded, without the `?`. */
  readonly query: string
  /** Lower-case names. */
  readonly headers: InboundHeaders
}

/** A request that is let in. */
export interface AdminAccess {
  /** Who stands behind the request: goes into histories, logs and events. Default: what the body says in `actor`. */
  readonly actor?: string | undefined
}

/**
 * Says who may. `{ actor }` and `{}` let the request in; nothing, `false`, a throw, a rejection and an object of anything else
 * refuse it. `host` is the request as the framework has it, with what a session or a login middleware left on it.
 */
export type AuthorizeAdmin<Host = unknown> = (
  request: AdminRequest,
  host: Host,
) => AdminAccess | false | null | undefined | Promise<AdminAccess | false | null | undefined>

/** How the surface is set up. */
export interface AdminOptions<Host = unknown> {
  /** Asked before every request, those of the page too. Default: every request is refused. */
  readonly authorize?: AuthorizeAdmin<Host> | undefined
}

/** What a request is judged beside. */
export interface AccessHost<Host> {
  readonly host: Host
  /** Told when `authorize` threw, or gave something that is neither a yes nor a no. */
  readonly onHostFault: (fault: HostFault) => void
}

/** Whether a request is let in, and as whom. Never rejects: what is no clear yes is a no. */
export async function accessOf<Host>(
  authorize: AuthorizeAdmin<Host>,
  { method, path, query, headers }: InboundRequest,
  { host, onHostFault }: AccessHost<Host>,
): Promise<AdminAccess | undefined> {
  try {
    const given: unknown = await authorize({ method, path, query, headers }, host)
    const access = readAccess(given)
    if ('access' in access) return access.access
    fault(`gave ${access.odd}, which is neither a yes nor a no`, [], '; give { actor }, or nothing to refuse')
  } catch (error) {
    const { what, at } = thrownWords(error)
    fault(what, at, '')
  }
  return undefined

  function fault(what: string, at: readonly string[], advice: string): void {
    const about = { method, path }
    onHostFault({ about, what: `authorize of the admin surface ${what}`, at, rest: `, and the request was refused${advice}` })
  }
}

/** What `authorize` gave, by its kind where it is no verdict: it may hold anything. */
function readAccess(given: unknown): { readonly access: AdminAccess | undefined } | { readonly odd: string } {
  if (given === undefined || given === null || given === false) return { access: undefined }
  if (typeof given !== 'object') return { odd: given === true ? 'true' : `a ${typeof given}` }
  if (Array.isArray(given)) return { odd: 'a list' }
  const prototype: unknown = Object.getPrototypeOf(given)
  // An object of another realm has another Object.prototype, but one without a prototype all the same.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return { odd: 'an object that is no plain one' }
  // A no in other words: { allowed: false }.
  if (Reflect.ownKeys(given).some((key) => key !== 'actor')) return { odd: 'an object with something beside `actor`' }
  const actor: unknown = Reflect.get(given, 'actor')
  if (actor === undefined) return { access: {} }
  return typeof actor === 'string' && actor.trim() !== '' ? { access: { actor } } : { odd: 'an object whose `actor` is no name' }
}
