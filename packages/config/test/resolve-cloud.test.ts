import { inspect } from 'node:util'
import t from 'tap'
import type { AwsCredentials, CloudCredentials } from '@understudy/config'
import { cloudBaseURL } from '@understudy/config'
import { issueOf, issuesOf, resolve, type Surroundings } from './resolve.js'

const DIALECTS = new Set(['openai', 'anthropic', 'gemini', 'bedrock'] as const)
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'CANARY-secret' }
const US = { AWS_REGION: 'us-east-1' }
const NOTHING: CloudCredentials = { aws: () => undefined, google: () => undefined }

function around(env: Record<string, string>, more: Surroundings = {}): Surroundings {
  return { env, supportedDialects: DIALECTS, clouds: NOTHING, ...more }
}

function provider(name: string, input: object | undefined, surroundings: Surroundings) {
  const options = input === undefined ? {} : { providers: { [name]: input } }
  return resolve({ chat: [`${name}/m`] }, options, surroundings).providers.get(name)
}

function issue(name: string, input: object | undefined, surroundings: Surroundings) {
  return issueOf({ chat: [`${name}/m`] }, input === undefined ? {} : { providers: { [name]: input } }, surroundings)
}

async function keysOf(made: ReturnType<typeof provider>): Promise<AwsCredentials | undefined> {
  return made?.cloud?.type === 'bedrock' ? made.cloud.credentials?.() : undefined
}

t.test('a cloud is where its region or location says', async (t) => {
  t.equal(cloudBaseURL('bedrock', 'eu-west-1'), 'https://bedrock-runtime.eu-west-1.amazonaws.com')
  t.equal(cloudBaseURL('bedrock', 'cn-north-1'), 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn')
  t.equal(cloudBaseURL('vertex', 'global'), 'https://aiplatform.googleapis.com')
  t.equal(cloudBaseURL('vertex', 'eu'), 'https://aiplatform.eu.rep.googleapis.com')
  t.equal(cloudBaseURL('vertex', 'europe-west1'), 'https://europe-west1-aiplatform.googleapis.com')
})

t.test('Bedrock takes its key before its access keys, and those before the standard chain', async (t) => {
  const chain: AwsCredentials = { accessKeyId: 'FROM-CHAIN', secretAccessKey: 's' }
  const clouds: CloudCredentials = { ...NOTHING, aws: () => () => Promise.resolve(chain) }
  const key = provider('bedrock', undefined, around({ ...US, ...KEYS, AWS_BEARER_TOKEN_BEDROCK: 'ABSK' }, { clouds }))
  t.strictSame([key?.credential(), await keysOf(key), key?.baseURL], ['ABSK', undefined, 'https://bedrock-runtime.us-east-1.amazonaws.com'])
  const keys = provider('bedrock', undefined, around({ ...US, ...KEYS, AWS_SESSION_TOKEN: 'st' }, { clouds }))
  t.strictSame(
    [keys?.credential(), await keysOf(keys)],
    [undefined, { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'CANARY-secret', sessionToken: 'st' }],
  )
  t.strictSame(await keysOf(provider('bedrock', undefined, around(US, { clouds }))), chain)
  const given = { accessKeyId: 'GIVEN', secretAccessKey: 's' }
  const all = around({ ...US, ...KEYS, AWS_BEARER_TOKEN_BEDROCK: 'ABSK' }, { clouds })
  const own = provider('bedrock', { credentials: given }, all)
  t.strictSame([own?.credential(), await keysOf(own)], [undefined, given], 'what is given wins over the environment')
  t.strictSame(provider('bedrock', { apiKey: 'mine' }, all)?.credential(), 'mine')
})

t.test('a function for credentials is asked again shortly before they expire', async (t) => {
  const at = { now: 0 }
  const asked: number[] = []
  const credentials = () => {
    asked.push(at.now)
    return { accessKeyId: `K${asked.length}`, secretAccessKey: 's', expiration: new Date(at.now + 3_600_000) }
  }
  const made = provider('bedrock', { credentials, region: 'us-west-2' }, around({}, { now: () => at.now }))
  t.equal((await keysOf(made))?.accessKeyId, 'K1')
  at.now = 3_000_000
  t.equal((await keysOf(made))?.accessKeyId, 'K1')
  at.now = 3_300_000
  t.equal((await keysOf(made))?.accessKeyId, 'K2')
  t.strictSame(asked, [0, 3_300_000])
})

t.test('a credential whose name is misspelt is named, without its value', async (t) => {
  const credentials = { accessKeyID: 'canary', secretAccessKey: 's' }
  const said = issue('bedrock', { credentials, region: 'us-west-2' }, around({}))
  t.match(said, /accessKeyId: is missing; it must be the id of an access key, without outer spaces; 'accessKeyID' is not known: did you mean 'accessKeyId'\?/)
  t.notMatch(said, /canary/)
})

t.test('what Bedrock lacks is named: who asks, and where', async (t) => {
  t.equal(
    issue('bedrock', undefined, around({})),
    'routes.chat[0]: provider \'bedrock\' has no credentials: set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and '
      + 'AWS_SECRET_ACCESS_KEY (or apiKey or credentials in options.providers, or install @aws-sdk/credential-provider-node for the '
      + 'standard chain), AWS_REGION (or region in options.providers)',
  )
  t.match(issue('bedrock', undefined, around(KEYS)), /set AWS_REGION \(or region/)
  t.match(issue('bedrock', { baseURL: 'http://proxy' }, around(KEYS)), /set AWS_REGION/, 'a signature has the region in it')
  t.equal(issue('bedrock', { baseURL: 'http://proxy', apiKey: 'k' }, around({})), '')
  t.equal(issue('bedrock', { region: 'us-east-1', sign: () => ({}) }, around({})), '', 'the host signs')
  t.equal(
    provider('bedrock', undefined, around({ ...US, ...KEYS, AWS_ENDPOINT_URL_BEDROCK_RUNTIME: 'http://proxy/' }))?.baseURL,
    'http://proxy',
  )
  t.equal(provider('bedrock', undefined, around({ ...KEYS, AWS_DEFAULT_REGION: 'eu-west-1' }))?.baseURL, cloudBaseURL('bedrock', 'eu-west-1'))
})

t.test('Vertex takes a token, or Google\'s own credentials, kept until they expire', async (t) => {
  const at = { now: 0 }
  let tokens = 0
  const google = () => Promise.resolve({ token: `t${++tokens}`, expiresAt: at.now + 3_600_000 })
  const clouds: CloudCredentials = { ...NOTHING, google: () => google }
  const env = { GOOGLE_CLOUD_PROJECT: 'p-1' }
  const adc = provider('vertex', undefined, around(env, { clouds, now: () => at.now }))
  t.strictSame(adc?.cloud, { type: 'vertex', project: 'p-1', location: 'global', isElsewhere: false })
  t.equal(adc?.baseURL, 'https://aiplatform.googleapis.com')
  t.strictSame([await adc?.credential(), await adc?.credential()], ['t1', 't1'])
  at.now = 3_500_000
  t.equal(await adc?.credential(), 't2')

  t.strictSame(await adc?.sign?.(Buffer.from('')), {})
  const person: CloudCredentials = { ...NOTHING, google: () => async () => ({ token: 't', quotaProject: 'q-1' }) }
  t.strictSame(await provider('vertex', undefined, around(env, { clouds: person }))?.sign?.(Buffer.from('')), { 'x-goog-user-project': 'q-1' })
  const sign = () => ({ 'x-own': '1' })
  t.equal(provider('vertex', { sign, apiKey: 't' }, around(env, { clouds: person }))?.sign, sign, 'the host\'s own')

  const own = provider('vertex-anthropic', { apiKey: async () => 'mine', location: 'europe-west1' }, around(env))
  t.strictSame([own?.dialect, await own?.credential(), own?.baseURL], ['anthropic', 'mine', cloudBaseURL('vertex', 'europe-west1')])
  t.match(
    issue('vertex', undefined, around({})),
    'set GOOGLE_CLOUD_PROJECT (or project in options.providers), a token as apiKey in options.providers, such as async () => token '
      + '(or install google-auth-library for the application default credentials)',
  )
})

t.test('Vertex is asked for the project, and in the place, that the first variable names', async (t) => {
  const names: [string, string][] = [
    ['GCLOUD_PROJECT', 'CLOUD_ML_REGION'], ['ANTHROPIC_VERTEX_PROJECT_ID', 'GOOGLE_CLOUD_LOCATION'], ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'],
  ]
  const env: Record<string, string> = {}
  for (const [project, location] of names) {
    env[project] = `of-${project}`
    env[location] = `in-${location.toLowerCase().replaceAll('_', '-')}`
    const made = provider('vertex', { apiKey: 't' }, around({ ...env }))
    t.match(made?.cloud, { project: env[project], location: env[location] }, project)
  }
  t.match(provider('vertex', { apiKey: 't', project: 'mine', location: 'eu' }, around(env))?.cloud, { project: 'mine', location: 'eu' })
})

t.test('where it may, a leg without credentials is left out with one warning', async (t) => {
  const warnings: string[] = []
  const warn = (_code: string, message: string) => void warnings.push(message)
  const { routes } = resolve({ chat: ['bedrock/m', 'openai/m'] }, { providerValidation: 'lenient' }, around({ OPENAI_API_KEY: 'k' }, { warn }))
  t.strictSame(routes.get('chat')?.legs.map((leg) => (leg.type === 'provider' ? leg.provider.name : leg.type)), ['openai'])
  t.match(warnings, [/^provider 'bedrock' has no credentials: set AWS_BEARER_TOKEN_BEDROCK/])
})

t.test('a provider of any name says its dialect and its cloud', async (t) => {
  const made = provider('eu', { dialect: 'anthropic', cloud: 'bedrock', region: 'eu-central-1' }, around(KEYS))
  t.strictSame([made?.dialect, made?.cloud?.type, made?.baseURL], ['anthropic', 'bedrock', cloudBaseURL('bedrock', 'eu-central-1')])
  t.equal(provider('eu', { dialect: 'bedrock', region: 'eu-central-1' }, around(KEYS))?.cloud?.type, 'bedrock', 'a dialect that is one cloud\'s')
  t.equal(provider('eu', { dialect: 'bedrock', region: 'us-east-1' }, around({ AWS_BEARER_TOKEN_BEDROCK: 'k' }))?.credential(), 'k')
})

t.test('what does not go together is refused', async (t) => {
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ dialect: 'openai', cloud: 'bedrock', region: 'us-east-1' }, /p\.cloud: 'bedrock' does not serve the dialect 'openai'; it serves bedrock and anthropic/],
    [{ dialect: 'gemini', baseURL: 'https://europe-west1-aiplatform.googleapis.com/v1', apiKey: 't' }, /p\.baseURL: is of Vertex AI, which has paths of its own; say cloud: 'vertex', and the project/],
    [{ dialect: 'openai', baseURL: 'http://x', region: 'us-east-1' }, /p\.region: is of providers with cloud 'bedrock', which this one has not/],
    [{ dialect: 'gemini', cloud: 'vertex', credentials: { accessKeyId: 'a', secretAccessKey: 'b' }, project: 'p' }, /p\.credentials: is of providers with cloud 'bedrock'/],
    [{ dialect: 'bedrock', region: 'us-east-1', project: 'p', apiKey: 'k' }, /p\.project: is of providers with cloud 'vertex'/],
    [{ dialect: 'bedrock', region: 'us-east-1', apiKey: 'k', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }, /p\.credentials: would not be used/],
    [{ dialect: 'bedrock', region: 'us east', apiKey: 'k' }, /p\.region: is 'us east'; it must be a region/],
    [{ dialect: 'bedrock', region: 'us-east-1', credentials: 'CANARY' }, /p\.credentials: is a string that does not fit; it must be \{ accessKeyId/],
    [{ dialect: 'bedrock', region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'CANARY\n' } }, /secretAccessKey: is a string that does not fit/],
    [{ dialect: 'bedrock', region: 'us-east-1', credentials: { accessKeyId: 'a' } }, /secretAccessKey: is missing/],
    [{ dialect: 'gemini', cloud: 'gcp', project: 'p' }, /p\.cloud: is 'gcp'; it must be bedrock or vertex/],
  ]
  for (const [input, message] of cases) {
    const said = issuesOf({ chat: ['p/x'] }, { providers: { p: input } }, around({}, { clouds: { aws: () => async () => ({ accessKeyId: 'a', secretAccessKey: 'b' }), google: () => async () => ({ token: 't' }) } }))
      .map((one) => `${one.path}: ${one.message}`).join(' | ')
    t.match(said, message)
    t.notMatch(said, /CANARY/)
  }
})

t.test('no credential is in what can be printed', async (t) => {
  const made = provider('bedrock', { region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'CANARY-1', sessionToken: 'CANARY-2' } }, around({}))
  const other = provider('bedrock', undefined, around({ ...US, ...KEYS }))
  for (const text of [inspect(made, { depth: 9, showHidden: true }), JSON.stringify(made), inspect(other, { depth: 9 })]) t.notMatch(text, /CANARY/)
})

t.test('a key is sent as a bearer where the entry says so', async (t) => {
  const made = provider('azure', { baseURL: 'https://res.openai.azure.com', apiVersion: '2024-10-21', apiKey: async () => 'entra', bearer: true }, around({}))
  t.strictSame([made?.bearer, await made?.credential()], [true, 'entra'])
  t.match(issue('azure', { bearer: 'yes' }, around({})), /bearer: is 'yes'; it must be true or false/)
})
