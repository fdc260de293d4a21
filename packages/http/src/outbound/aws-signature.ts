import { SignatureV4 } from '@smithy/signature-v4'
import { createHash, createHmac } from 'node:crypto'

/** What is signed: a POST of exactly these bytes. */
export interface SignedRequest {
  readonly origin: string
  /** As it is sent, without a query. */
  readonly path: string
  readonly contentType: string
  readonly bytes: Uint8Array
  readonly region: string
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What everything at Bedrock is signed for. https://docs.aws.amazon.com/general/latest/gr/bedrock.html */
const SERVICE = 'bedrock'

/**
 * The headers that sign a request, names and values in turn.
 *
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function awsSignature(request: SignedRequest): Promise<readonly string[]> {
  const { origin, path, contentType, bytes, region, credentials, now } = request
  const { protocol, host, hostname } = new URL(origin)
  const signer = new SignatureV4({ service: SERVICE, region, credentials, sha256: Sha256 })
  const given = { host, 'content-type': contentType }
  const signed = await signer.sign(
    { method: 'POST', protocol, hostname, path, query: {}, headers: given, body: bytes },
    { signingDate: new Date(now) },
  )
  return Object.entries(signed.headers).flatMap(([name, value]) => (Object.hasOwn(given, name) ? [] : [name, value]))
}

/** Node's own, for a body may hold megabytes of pictures. */
class Sha256 {
  readonly #secret: SecretKey | undefined
  #hash: Hashing

  constructor(secret?: SecretKey) {
    this.#secret = secret
    this.#hash = hashOf(secret)
  }

  update(data: Uint8Array): void {
    this.#hash.update(data)
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest())
  }

  reset(): void {
    this.#hash = hashOf(this.#secret)
  }
}

type SecretKey = string | ArrayBuffer | ArrayBufferView
type Hashing = ReturnType<typeof createHash> | ReturnType<typeof createHmac>

function hashOf(secret: SecretKey | undefined): Hashing {
  if (secret === undefined) return createHash('sha256')
  if (typeof secret === 'string') return createHmac('sha256', secret)
  const key = ArrayBuffer.isView(secret) ? Buffer.from(secret.buffer, secret.byteOffset, secret.byteLength) : Buffer.from(secret)
  return createHmac('sha256', key)
}
