import type { Fallback, InboundRequest, OutboundResponse } from '@understudy/http'
import type { ZodType } from 'zod'

import type { AdminAccess } from './access.js'
import { readJson } from './read-json.js'
import { refusal } from './reply.js'

/** What calls stand on. */
export interface AdminHost {
  readonly fallback: Fallback
  /** What `GET /status` answers. */
  readonly status: () => unknown
  /** How often a stream of events looks for news. */
  readonly tickMs: number
}

/** Who makes a change, and why. */
export interface Author {
  readonly actor: string
  readonly reason: string
}

type Answer = OutboundResponse | Promise<OutboundResponse>

/** One call of the surface. */
export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Under the mount. */
  readonly path: string
  readonly answer: (host: AdminHost, request: InboundRequest, access: AdminAccess) => Answer
}

/** A call that only looks. */
export function looks(path: string, answer: (host: AdminHost, request: InboundRequest) => Answer): Endpoint {
  return { method: 'GET', path, answer }
}

/** A call that changes nothing that lasts, so that nobody has to answer for it. */
export function asks<Body>(
  path: string,
  schema: ZodType<Body>,
  answer: (host: AdminHost, body: Body, request: InboundRequest) => Answer,
): Endpoint {
  return {
    method: 'POST',
    path,
    async answer(host, request) {
      const read = await readJson(request, schema)
      return 'refused' in read ? read.refused : answer(host, read.body, request)
    },
  }
}

/** A call that somebody answers for: `authorize` says who, and what it leaves open the body says. */
export function changes<Body extends { readonly actor?: string | undefined; readonly reason: string }>(
  path: string,
  schema: ZodType<Body>,
  answer: (host: AdminHost, body: Body, author: Author) => Answer,
): Endpoint {
  return {
    method: 'POST',
    path,
    async answer(host, request, access) {
      const read = await readJson(request, schema)
      if ('refused' in read) return read.refused
      const { body } = read
      const actor = access.actor ?? body.actor
      if (actor === undefined) return refusal('invalid_request', 'actor is missing: authorize names nobody, so the body has to say who')
      return answer(host, body, { actor, reason: body.reason })
    },
  }
}
