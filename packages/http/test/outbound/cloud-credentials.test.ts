import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createCloudCredentials } from '../../src/outbound/cloud-credentials.js'

t.test('a library that is not installed gives no way to credentials, and is not loaded', async (t) => {
  const asked: string[] = []
  const { aws, google } = createCloudCredentials((name) => {
    asked.push(name)
    return false
  })
  t.strictSame([asked, aws(), google('p-1'), asked], [asked, undefined, undefined, ['@aws-sdk/credential-provider-node', 'google-auth-library']])
})

t.test('the standard chain of AWS is asked through its own library', async (t) => {
  const before = { ...process.env }
  t.teardown(() => {
    process.env = before
  })
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'credentials')
  writeFileSync(file, '[default]\naws_access_key_id = FROM-FILE\naws_secret_access_key = secret\n')
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_PROFILE']) delete process.env[name]
  Object.assign(process.env, { AWS_SHARED_CREDENTIALS_FILE: file, AWS_CONFIG_FILE: join(folder, 'none'), AWS_EC2_METADATA_DISABLED: 'true' })
  const chain = createCloudCredentials().aws()
  t.match(await chain?.(), { accessKeyId: 'FROM-FILE', secretAccessKey: 'secret' })
})

t.test('Google\'s own credentials are exchanged for a token that says when it expires', async (t) => {
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ access_token: 'ya29.token', expires_in: 3_600, token_type: 'Bearer' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const folder = mkdtempSync(join(tmpdir(), 'understudy-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'adc.json')
  const { port } = server.address() as AddressInfo
  const subject = join(folder, 'subject')
  writeFileSync(subject, 'a-subject-token')
  writeFileSync(file, JSON.stringify({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: `http://127.0.0.1:${port}/token`,
    credential_source: { file: subject },
    quota_project_id: 'q-1',
  }))
  const before = process.env['GOOGLE_APPLICATION_CREDENTIALS']
  process.env['GOOGLE_APPLICATION_CREDENTIALS'] = file
  t.teardown(() => {
    if (before === undefined) delete process.env['GOOGLE_APPLICATION_CREDENTIALS']
    else process.env['GOOGLE_APPLICATION_CREDENTIALS'] = before
  })
  const token = await createCloudCredentials().google('p-1')?.()
  t.strictSame([token?.token, token?.quotaProject], ['ya29.token', 'q-1'])
  const left = (token?.expiresAt ?? 0) - Date.now()
  t.ok(left > 3_000_000 && left <= 3_600_000, String(left))
})
