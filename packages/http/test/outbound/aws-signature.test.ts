import fc from 'fast-check'
import t from 'tap'
import { signatureFault } from '../../../simulator/src/aws-signature.js'
import { awsSignature } from '../../src/outbound/aws-signature.js'
import { hasPathName } from '@understudy/config'

const key = fc.stringMatching(/^[A-Za-z0-9+/=]{16,40}$/)
const signed = fc.record({
  // No leg has another: `endpointOf` refuses a name such as `.`, which a URL would resolve.
  model: fc.string({ minLength: 1, unit: 'grapheme' }).filter(hasPathName),
  region: fc.constantFrom('us-east-1', 'eu-central-1', 'ap-southeast-2'),
  bytes: fc.uint8Array({ maxLength: 300 }),
  accessKeyId: fc.stringMatching(/^[A-Z0-9]{16,20}$/),
  secretAccessKey: key,
  sessionToken: fc.option(key, { nil: undefined }),
  now: fc.date({ min: new Date('2001-01-01'), max: new Date('2099-01-01'), noInvalidDate: true }),
})

/** Who makes it anew is another implementation, written from the specification. */
async function sign(input: typeof signed extends fc.Arbitrary<infer Value> ? Value : never) {
  const { model, region, bytes, accessKeyId, secretAccessKey, sessionToken, now } = input
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? undefined : { sessionToken }) }
  const path = `/model/${encodeURIComponent(model.replace(/\p{Surrogate}/gu, '?'))}/converse`
  const origin = 'https://bedrock-runtime.us-east-1.amazonaws.com'
  const names = await awsSignature({ origin, path, contentType: 'application/json', bytes, region, credentials: keys, now: now.getTime() })
  const headers: Record<string, string> = { host: new URL(origin).host, 'content-type': 'application/json' }
  for (let index = 0; index < names.length; index += 2) headers[names[index] ?? ''] = names[index + 1] ?? ''
  return { keys, call: { method: 'POST', path, query: '', headers, rawBody: bytes, now: now.getTime() } }
}

t.test('a signature holds, whatever is asked, and for nothing else', async () => {
  await fc.assert(fc.asyncProperty(signed, async (input) => {
    const { keys, call } = await sign(input)
    if (signatureFault(call, keys) !== undefined) return false
    const others = [
      signatureFault({ ...call, rawBody: Buffer.concat([input.bytes, Buffer.from(' ')]) }, keys),
      signatureFault({ ...call, path: `${call.path}-stream` }, keys),
      signatureFault({ ...call, headers: { ...call.headers, host: 'elsewhere' } }, keys),
      signatureFault({ ...call, now: call.now + 400_000 }, keys),
      signatureFault(call, { ...keys, secretAccessKey: `${keys.secretAccessKey}x` }),
    ]
    return others.every((fault) => fault?.type === 'InvalidSignatureException')
  }), { numRuns: 60 })
})

t.test('what is signed goes beside it, and nothing else does', async (t) => {
  const [input] = fc.sample(signed, { numRuns: 1, seed: 1 })
  if (input === undefined) throw new Error('no sample')
  const { call } = await sign({ ...input, sessionToken: 'token' })
  t.strictSame(Object.keys(call.headers).sort(), ['authorization', 'content-type', 'host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])
})
