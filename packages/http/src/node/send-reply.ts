import type { OutboundResponse } from '../inbound/response.js'
import type { NodeClient } from './disconnect.js'
import { toPayload } from './to-readable.js'

/** What is used of a reply of Fastify. */
export interface SendableReply {
  readonly sent: boolean
  code(status: number): this
  headers(values: Readonly<Record<string, string>>): this
  send(payload: unknown): this
}

/** Sends a response by Fastify's own path. Where the host has answered, or has taken the reply over, ours is closed as if the client had left. */
export function sendReply<Reply extends SendableReply>(reply: Reply, response: OutboundResponse, client: NodeClient): Reply {
  const payload = toPayload(response, client)
  if (!reply.sent) return reply.code(response.status).headers(response.headers).send(payload)
  // Fastify would not send it, and would say so.
  client.leave()
  return reply
}
