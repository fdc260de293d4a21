import type { InboundHeaders } from '@understudy/http'

/**
 * Whether a request can have come from a page of another site. A browser says where a request comes from; one that says nothing is no
 * browser, and is let in by a header that the host checks, which no other site's page can send.
 */
export function isCrossOrigin(headers: InboundHeaders): boolean {
  const site = textOf(headers['sec-fetch-site'])
  if (site !== undefined) return site !== 'same-origin'
  const origin = textOf(headers['origin'])
  if (origin === undefined) return false
  const host = textOf(headers['host'] ?? headers[':authority'])
  return host === undefined || hostOf(origin) !== host.toLowerCase()
}

function hostOf(origin: string): string | undefined {
  try {
    return new URL(origin).host
  } catch {
    return undefined
  }
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' || value === undefined ? value : value.join(', ')
}
