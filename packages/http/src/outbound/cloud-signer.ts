import { untilAborted } from '@understudy/config'
import type { AwsCredentials, ResolvedBedrock } from '@understudy/config'
import type { StopSignal } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import type { ClockSkew } from './clock-skew.js'
import { noteSkew } from './clock-skew.js'
import type { Endpoint } from './endpoint.js'
import type { AnswerHead } from './exchange.js'

/** Signs the attempts of one leg. */
export interface CloudSigner {
  /** What signs one attempt: names and values in turn. */
  sign(endpoint: Endpoint, bytes: Uint8Array, signal: StopSignal): Promise<readonly string[]>
  /** To be told of each answer: one that refuses a signature for its time says what time it is there, and the next one is made for that. */
  answered(head: AnswerHead): void
}

/**
 * Signs the requests of one leg, in its own region. Credentials that cannot be had or used are an `auth_error` of that attempt. AWS's
 * signer is loaded when the first such leg is made, and no host without one waits for it. `skew` is of all the legs of a provider.
 */
export function createCloudSigner(
  credentials: NonNullable<ResolvedBedrock['credentials']>,
  region: string,
  wallClock: () => number,
  skew: ClockSkew,
): CloudSigner {
  void loadSigner().catch(() => undefined)
  return {
    async sign({ origin, path }, bytes, signal) {
      try {
        const work = sign(() => Promise.resolve(credentials()), { origin, path, bytes, region }, () => wallClock() + skew.ms)
        return await untilAborted(work, signal)
      } catch {
        signal.throwIfAborted()
        // What was thrown stays out of it: it may quote a key or where it is kept.
        throw new LegFailedError(failureOf('auth_error', { code: 'credential_unavailable' }))
      }
    },
    answered: (head) => noteSkew(skew, head, wallClock()),
  }
}

const loadSigner = () => import('./aws-signature.js')

async function sign(
  credentials: () => Promise<AwsCredentials>,
  request: Endpoint & { readonly bytes: Uint8Array; readonly region: string },
  clock: () => number,
): Promise<readonly string[]> {
  const [{ awsSignature }, { accessKeyId, secretAccessKey, sessionToken, expiration }] = await Promise.all([loadSigner(), credentials()])
  if (!isKey(accessKeyId) || !isKey(secretAccessKey)) throw new TypeError('no credentials')
  const now = clock()
  if ((expiration?.getTime() ?? Infinity) <= now) throw new TypeError('credentials that have expired')
  const keys = { accessKeyId, secretAccessKey, ...tokenOf(sessionToken) }
  return awsSignature({ ...request, contentType: 'application/json', credentials: keys, now })
}

/** Without a token that there is a signature would be refused, and say that the keys are wrong. */
function tokenOf(token: unknown): { readonly sessionToken: string } | undefined {
  if (token === undefined || token === null || token === '') return undefined
  if (!isKey(token)) throw new TypeError('a session token that cannot be sent')
  return { sessionToken: token }
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)
}
