import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const dayMs = 86_400_000
const sequence = 0x30
const set = 0x31
const integer = 0x02
const bitString = 0x03
const octetString = 0x04
const objectId = 0x06
const utf8String = 0x0c
const utcTime = 0x17
/** Tags whose meaning is their place: explicit [0] and [3] of a certificate, [2] and [7] of an alternative name. */
const version = 0xa0
const extensions = 0xa3
const dnsName = 0x82
const ipAddress = 0x87

const ecdsaWithSha256 = der(sequence, der(objectId, Buffer.from('2a8648ce3d040302', 'hex')))
const commonName = der(objectId, Buffer.from('550403', 'hex'))
const subjectAltName = der(objectId, Buffer.from('551d11', 'hex'))

/**
 * A fresh key and a certificate for `localhost` and `127.0.0.1`, good for a day, that nobody has signed but itself.
 * For `startSimulator({ tls })`: clients refuse it unless `cert` is given to them as a certificate authority.
 */
export function selfSignedCertificate(): { readonly key: string, readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = der(sequence, der(set, der(sequence, commonName, der(utf8String, Buffer.from('localhost')))))
  const names = der(sequence, der(dnsName, Buffer.from('localhost')), der(ipAddress, Buffer.from([127, 0, 0, 1])))
  const content = der(
    sequence,
    der(version, der(integer, Buffer.from([2]))),
    // A leading 0x01 keeps the number positive.
    der(integer, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    der(sequence, time(Date.now() - dayMs), time(Date.now() + dayMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(extensions, der(sequence, der(sequence, subjectAltName, der(octetString, names)))),
  )
  const signature = der(bitString, Buffer.from([0]), sign('sha256', content, privateKey))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(der(sequence, content, ecdsaWithSha256, signature)),
  }
}

function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content])
  const length = content.length < 0x100
    ? [0x81, content.length]
    : [0x82, content.length >> 8, content.length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}

function time(epochMs: number): Buffer {
  const digits = new Date(epochMs).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(utcTime, Buffer.from(`${digits}Z`))
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
