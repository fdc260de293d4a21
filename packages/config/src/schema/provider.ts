import { isRecord } from '@understudy/core'
import type { Dialect } from '@understudy/core'
import { z } from 'zod'
import { readBaseURL } from '../base-url.js'
import { isConnectionHeader } from '../connection-headers.js'
import { nearestName } from '../nearest-name.js'
import { ownProperties } from '../own-properties.js'
import type { ApiKeyInput, AwsCredentials, AwsCredentialsInput, ProviderInput, Sign } from '../provider-input.js'
import { quote } from '../show.js'
import { breaker } from './breaker.js'
import { choose } from './choose.js'
import { strictObject } from './check-object.js'
import { boolean, oneOf, rule, secretRule, wrongSecret } from './rule.js'

/** Every wire format that has a name here, spoken yet or not. */
export const DIALECTS = ['openai', 'anthropic', 'gemini', 'bedrock', 'responses'] as const satisfies readonly Dialect[]

const CLOUDS = ['bedrock', 'vertex'] as const

/** What a header can carry. A line break at the end of a key, from a file, is the usual trouble. */
const HEADER_VALUE = /^[\x20-\x7e\x80-\xff]*$/
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** Why a text is no key, without a word of it; `undefined` = it is one. */
export function whyNoKey(text: string): string | undefined {
  if (text === '') return 'is empty'
  if (text.trim() !== text) return 'is a string with white space around it'
  if (!HEADER_VALUE.test(text)) return 'is a string with characters that no header can carry'
  if (/^bearer /i.test(text)) return 'begins with the word Bearer, which is put in front where it belongs'
  if (/^\$\{?[A-Z_][A-Z0-9_]*\}?$/.test(text)) return 'looks like the name of a variable, which nobody fills in'
  return undefined
}

const KEY = 'a text without line breaks or outer spaces, { env: \'NAME\' }, or a function that gives the key'

const variable: z.ZodType<{ readonly env: string }> = strictObject({
  env: secretRule(
    (value): value is string => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value),
    'the name of an environment variable, such as OPENAI_API_KEY',
  ),
})

const keyOrFunction = z.custom<string | (() => string | Promise<string>)>(
  (value) => typeof value === 'function' || (typeof value === 'string' && whyNoKey(value) === undefined),
  { error: ({ input }) => (typeof input === 'string' ? `${whyNoKey(input)}; it must be ${KEY}` : wrongSecret(input, KEY)) },
)

const apiKey = choose<ApiKeyInput>((value) => (isRecord(value) ? variable : keyOrFunction))

/** Extra headers, their names in lower case. */
const headers = z.unknown().transform((value, context): Readonly<Record<string, string>> => {
  const own = ownProperties(value)
  const complain = (message: string, path: string[] = []) =>
    context.issues.push({ code: 'custom', input: undefined, message, path })
  if (own === undefined) {
    complain('must be an object: header name -> text')
    return z.NEVER
  }
  const copy = new Map<string, string>()
  for (const [written, text] of Object.entries(own)) {
    const name = written.toLowerCase()
    if (!HEADER_NAME.test(name)) complain('is no header name', [written])
    else if (isConnectionHeader(name)) complain('cannot be set; it belongs to the connection', [written])
    else if (copy.has(name)) complain('is given twice; header names do not distinguish case', [written])
    else if (typeof text !== 'string' || !HEADER_VALUE.test(text)) {
      complain('has a value that does not fit; it must be a text without line breaks', [written])
    } else copy.set(name, text)
  }
  return Object.fromEntries(copy)
})

const baseURL = z.unknown().transform((value, context): string => {
  const read = typeof value === 'string' ? readBaseURL(value) : undefined
  if (read !== undefined && 'url' in read) return read.url
  context.issues.push({
    code: 'custom',
    input: undefined,
    message: read?.wrong ?? wrongSecret(value, 'an http:// or https:// URL'),
  })
  return z.NEVER
})

/** Stands in hosts and paths. */
const place = (right: string) => rule(
  (value): value is string => typeof value === 'string' && /^[a-z0-9](?:[a-z0-9.:-]{0,61}[a-z0-9])?$/.test(value),
  right,
)

const keyPart = (right: string) => secretRule((value): value is string => typeof value === 'string' && whyNoKey(value) === undefined, right)

const AWS_MEMBERS = ['accessKeyId', 'secretAccessKey', 'sessionToken', 'expiration']

/** Those that AWS's own libraries give say more than that, which counts for nothing here; what is missing may be there misspelt. */
function awsKeys(given: object): z.ZodType<AwsCredentials> {
  const strange = Object.keys(given).filter((name) => !AWS_MEMBERS.includes(name))
  const right = (name: string, text: string): string => {
    const misspelt = strange.find((other) => nearestName(other, AWS_MEMBERS) === name)
    return misspelt === undefined ? text : `${text}; ${quote(misspelt)} is not known: did you mean ${quote(name)}?`
  }
  return z.object({
    accessKeyId: keyPart(right('accessKeyId', 'the id of an access key, without outer spaces')),
    secretAccessKey: keyPart(right('secretAccessKey', 'a secret access key, without outer spaces')),
    sessionToken: keyPart('a session token, without outer spaces').optional(),
    expiration: secretRule((value): value is Date => value instanceof Date && !Number.isNaN(value.getTime()), 'a Date').optional(),
  })
}

const AWS = '{ accessKeyId, secretAccessKey, sessionToken? } or a function that gives them'

const awsCredentials = choose<AwsCredentialsInput>((value) => (isRecord(value)
  ? awsKeys(value)
  : secretRule((given): given is () => AwsCredentials | Promise<AwsCredentials> => typeof given === 'function', AWS)))

/** One entry of `providers`. Only the dialects that can be sent are offered. */
export const providerInputOf = (supported: ReadonlySet<Dialect>) => strictObject({
  dialect: oneOf(DIALECTS, `one of ${[...supported].join(', ')}`).optional(),
  baseURL: baseURL.optional(),
  apiKey: apiKey.optional(),
  headers: headers.optional(),
  breaker: breaker.optional(),
  sign: secretRule((value): value is Sign => typeof value === 'function', 'a function (bytes) that gives headers').optional(),
  bearer: boolean.optional(),
  cloud: oneOf(CLOUDS, 'bedrock or vertex').optional(),
  region: place('a region, such as us-east-1').optional(),
  credentials: awsCredentials.optional(),
  project: place('the id of a project, such as my-project-123').optional(),
  location: place('a location, such as europe-west1 or global').optional(),
  apiVersion: secretRule(
    (value): value is string => typeof value === 'string' && /^[\w.-]+$/.test(value),
    'an api-version, such as 2024-10-21',
  ).optional(),
} satisfies { readonly [Key in keyof ProviderInput]-?: z.ZodType<ProviderInput[Key]> })
