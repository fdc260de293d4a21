import { readFileSync } from 'node:fs'

import type { OutboundResponse } from '@understudy/http'

import type { Endpoint } from './endpoint.js'
import { SAFE_HEADERS } from './reply.js'

/** Nothing but our own files, no frame, no form that goes elsewhere, nothing inline. */
const POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'", "base-uri 'none'", "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'], ['css', 'text/css; charset=utf-8'], ['js', 'text/javascript; charset=utf-8'], ['svg', 'image/svg+xml'],
])

const FILES = [
  'index.html', 'page.css', 'icon.svg', 'page.js', 'api.js', 'change-dialog.js', 'dom.js', 'happened.js', 'happened-list.js', 'leg.js', 'route.js',
  'timeline.js', 'try-list.js', 'words.js',
]

/** The files of the page. Its links are relative, so that it works under every mount. */
export const PAGE_ENDPOINTS: readonly Endpoint[] = FILES.map((file) => ({
  method: 'GET',
  path: file === 'index.html' ? '/' : `/${file}`,
  answer: () => fileReply(file),
}))

function fileReply(file: string): OutboundResponse {
  const body = readFileSync(new URL(`../page/${file}`, import.meta.url))
  const type = TYPES.get(file.slice(file.lastIndexOf('.') + 1)) ?? 'application/octet-stream'
  const headers = { ...SAFE_HEADERS, 'content-security-policy': POLICY, 'content-type': type, 'content-length': String(body.byteLength) }
  return { status: 200, headers, body }
}
