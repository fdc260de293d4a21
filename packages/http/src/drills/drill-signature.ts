import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

import type { InboundHeaders } from '../inbound/request.js'

/** The header of a request that asks to be failed. */
const DRILL_HEADER = 'understudy-drill'

/** A secret of a drill's own. */
export function drillSecret(): string {
  return randomBytes(32).toString('hex')
}

/** A name of a drill. */
export function drillId(): string {
  return `drill-${randomBytes(6).toString('hex')}`
}

/** What the header of a drill says. */
export function drillHeader(id: string, secret: string): string {
  return `${id}.${createHmac('sha256', secret).update(id).digest('hex')}`
}

/** Whether a request carries this very header. Takes as long for a wrong one as for a right one. */
export function isSigned(headers: InboundHeaders, header: string): boolean {
  const given = headers[DRILL_HEADER]
  if (typeof given !== 'string') return false
  const [one, other] = [Buffer.from(given), Buffer.from(header)]
  return one.byteLength === other.byteLength && timingSafeEqual(one, other)
}
