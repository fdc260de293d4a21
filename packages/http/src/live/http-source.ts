import type { ChainSource } from '@understudy/config'
import { checkSourceOptions, ConfigError, isJson, MAX_DOCUMENT_BYTES, TEXT, wholeNumber } from '@understudy/config'
import { createHash } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { Agent, EnvHttpProxyAgent } from 'undici'
import { USER_AGENT } from '../outbound/user-agent.js'
import { readSourceBody } from './http-source-body.js'
import type { HeaderInput, HttpSourceTarget } from './http-source-target.js'
import { readHeaders, readTarget } from './http-source-target.js'

/** Which address, and how it is asked. */
export interface HttpSourceOptions {
  /** `http` or `https`. Redirects are not followed, so give the final address. Never printed beyond its host. */
  readonly url: string | URL
  /** Sent with each request: texts, or `{ env: 'NAME' }`, read once from the environment. Never printed. Default none. */
  readonly headers?: Readonly<Record<string, HeaderInput>> | undefined
  /** How long one request may take until its body is there. Milliseconds, default 5 000. */
  readonly timeoutMs?: number | undefined
  /** The largest body that is read, as it comes and decoded. Default 1 MiB. */
  readonly maxBytes?: number | undefined
}

const OPTIONS = {
  url: { expected: 'a URL', accepts: (value: unknown) => value instanceof URL || TEXT.accepts(value) },
  headers: { expected: 'an object of header names and values', accepts: (value: unknown) => typeof value === 'object' && value !== null },
  timeoutMs: wholeNumber(1, 600_000),
  maxBytes: wholeNumber(1, 100 * 1_048_576),
}

/** Of an answer without an ETag; no server makes one that begins like this. */
const OWN_ETAG = 'understudy:'

const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const

/**
 * A document at an HTTP address, polled: asked with the last ETag, so that an unchanged one costs no body. A 404 is no document; any other
 * answer than a 200 or a 304 is a read that fails. Read only. A proxy of the environment is used. Throws a `ConfigError` if an option is
 * wrong, or a variable that a header needs is not set.
 */
export function httpSource(address: string | URL | HttpSourceOptions): ChainSource {
  const options = typeof address === 'string' || address instanceof URL ? { url: address } : address
  checkSourceOptions('httpSource', options, OPTIONS, ['url'])
  const { timeoutMs = 5_000, maxBytes = MAX_DOCUMENT_BYTES } = options
  const target = readTarget(options.url)
  const headers = readHeaders(options.headers ?? {}, process.env)
  const agent = createAgent(timeoutMs)

  return {
    name: 'http',
    read: async ({ etag, signal }) => {
      const own = etag?.startsWith(OWN_ETAG) === true
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      limit.throwIfAborted()
      const response = await agent.request({
        origin: target.origin,
        path: target.path,
        method: 'GET',
        headers: {
          accept: 'application/json, */*;q=0.1',
          'accept-encoding': 'identity',
          'user-agent': USER_AGENT,
          ...headers(),
          ...(etag !== undefined && !own && { 'if-none-match': etag }),
        },
        signal: limit,
      })
      return readAnswer(response, { target, etag, asked: etag !== undefined && !own, maxBytes })
    },
    close: () => agent.destroy(),
  }
}

async function readAnswer(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { target, etag, asked, maxBytes }: {
    readonly target: HttpSourceTarget
    readonly etag: string | undefined
    readonly asked: boolean
    readonly maxBytes: number
  },
): ReturnType<ChainSource['read']> {
  if (statusCode !== 200) {
    // Not read to its end: it may never come.
    body.on('error', () => undefined).destroy()
    if (statusCode === 304 && asked) return { type: 'unchanged' }
    if (statusCode === 404) return { type: 'none', why: `${target.host} answered 404` }
    const redirects = statusCode >= 300 && statusCode < 400 && statusCode !== 304
    throw new Error(`${target.host} answered ${statusCode}${redirects ? '; redirects are not followed: give the final address' : ''}`)
  }
  const text = await readSourceBody(body, headers['content-encoding'], maxBytes)
  const given = headers['etag']
  const read = typeof given === 'string' && given !== '' ? given : `${OWN_ETAG}${createHash('sha256').update(text).digest('hex')}`
  if (read === etag) return { type: 'unchanged' }
  if (text.trim() === '') throw new Error(`${target.host} answered with an empty body`)
  // A page of something in between is no document; a document that is broken is one to reject.
  if (!isJsonType(headers['content-type']) && !isJson(text)) throw new Error(`${target.host} answered with something that is no JSON`)
  return { type: 'document', document: text, etag: read }
}

function isJsonType(contentType: string | readonly string[] | undefined): boolean {
  return typeof contentType === 'string' && /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)
}

function createAgent(timeoutMs: number): Dispatcher {
  const options = { connections: 1, connect: { timeout: timeoutMs }, headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
  if (!PROXY_VARIABLES.some((name) => process.env[name])) return new Agent(options)
  try {
    return new EnvHttpProxyAgent(options)
  } catch {
    // What was thrown quotes the URL, which may hold a password.
    const message = `the proxy of the environment (${PROXY_VARIABLES.join(', ')}) is not a URL such as http://proxy.example:3128`
    throw new ConfigError([{ path: 'httpSource', message }])
  }
}
