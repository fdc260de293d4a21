import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { AwsKeys } from './script.js'

/** A request as it was signed. */
export interface SignedCall {
  readonly method: string
  /** As it came, encoded. */
  readonly path: string
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly rawBody: Uint8Array
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What is wrong with a signature: the error's name and its words. */
export interface SignatureFault {
  readonly type: string
  readonly message: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'
/** How old or early a signature may be. */
const WINDOW_MS = 5 * 60 * 1000

/**
 * Makes the signature anew, as AWS does, and says how the one that came differs; `undefined` if it is right. Written from the
 * specification and not with the vendor's library, which the callers sign with.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureFault(call: SignedCall, keys: AwsKeys): SignatureFault | undefined {
  const { headers, now } = call
  const authorization = headers['authorization'] ?? ''
  const [, id = '', day = '', region = '', service = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/
      .exec(authorization) ?? []
  if (signature === '') return { type: 'IncompleteSignatureException', message: 'Authorization header is not a complete signature.' }
  if (id !== keys.accessKeyId || headers['x-amz-security-token'] !== keys.sessionToken) {
    return { type: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' }
  }
  if (service !== 'bedrock') return invalid(`Credential should be scoped to correct service: 'bedrock'.`)
  const date = headers['x-amz-date'] ?? ''
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!date.startsWith(day) || !(Math.abs(at - now) <= WINDOW_MS)) return invalid('Signature expired.')
  const signed = names.split(';')
  const needed = ['host', 'x-amz-date', ...(keys.sessionToken === undefined ? [] : ['x-amz-security-token'])]
  if (needed.some((name) => !signed.includes(name))) return invalid('Required headers are not signed.')

  const request = canonicalRequest(call, signed)
  const toSign = [ALGORITHM, date, `${day}/${region}/${service}/aws4_request`, sha256(request)].join('\n')
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`)
  const right = hmac(key, toSign)
  return timingSafeEqual(right, Buffer.from(signature, 'hex'))
    ? undefined
    : invalid('The request signature we calculated does not match the signature you provided.')
}

function invalid(message: string): SignatureFault {
  return { type: 'InvalidSignatureException', message }
}

function canonicalRequest({ method, path, query, headers, rawBody }: SignedCall, signed: readonly string[]): string {
  return [
    method,
    // For every service but S3 each segment is encoded once more than it was sent.
    path.split('/').map(encode).join('/'),
    query.split('&').filter((part) => part !== '').sort().join('&'),
    ...signed.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed.join(';'),
    sha256(rawBody),
  ].join('\n')
}

function encode(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
