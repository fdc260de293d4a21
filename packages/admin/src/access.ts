import type { InboundHeaders, InboundRequest } from '@understudy/http'

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
 * Says who may. An object lets the request in; nothing, `false`, a throw and a rejection refuse it. `host` is the request as the framework
 * has it, with what a session or a login middleware left on it.
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

/** Whether a request is let in, and as whom. Never rejects: what is no clear yes is a no. */
export async function accessOf<Host>(
  authorize: AuthorizeAdmin<Host> | undefined,
  { method, path, query, headers }: InboundRequest,
  host: Host,
): Promise<AdminAccess | undefined> {
  if (authorize === undefined) return undefined
  try {
    const given: unknown = await authorize({ method, path, query, headers }, host)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
    const actor: unknown = Reflect.get(given, 'actor')
    if (actor === undefined) return {}
    return typeof actor === 'string' && actor.trim() !== '' ? { actor } : undefined
  } catch {
    return undefined
  }
}
