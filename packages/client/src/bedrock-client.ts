import type { Failure } from '@understudy/core'
import { classify } from '@understudy/core'
import { bedrock } from '@understudy/dialects'
import type { BedrockClient, Members } from './sdk-client.js'
import { isObject, memberOf } from './sdk-client.js'

/** A command that asks a model for an answer. */
export interface ConverseCommand {
  /** As the caller made it. */
  readonly command: object
  readonly input: Members
  readonly stream: boolean
}

/** What an exception inside of a stream would have been as an answer. https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ['InternalServerException', 500],
  ['ModelStreamErrorException', 424],
  ['ModelTimeoutException', 408],
  ['ServiceUnavailableException', 503],
  ['ThrottlingException', 429],
  ['ValidationException', 400],
])

/** Whether this is a client of AWS's SDK for Bedrock. */
export function isBedrockClient(client: unknown): client is BedrockClient {
  return isObject(client) && ['config', 'middlewareStack'].every((name) => isObject(memberOf(client, name))) && typeof memberOf(client, 'send') === 'function'
}

/** Reads a command; `undefined` for any other than those of Converse. */
export function converseOf(command: unknown): ConverseCommand | undefined {
  const name = memberOf(memberOf(command, 'constructor'), 'name')
  const input = memberOf(command, 'input')
  if ((name !== 'ConverseCommand' && name !== 'ConverseStreamCommand') || !isObject(command) || !isObject(input)) return undefined
  return { command, input, stream: name === 'ConverseStreamCommand' }
}

/** The same command with another input. */
export function commandWith({ command }: ConverseCommand, input: Members): object {
  const made: unknown = Reflect.construct(command.constructor, [input])
  return isObject(made) ? made : command
}

/** Why a command failed: an answer with a status, or an exception of a stream, as the dialect reads it; else by its codes and names. */
export function failureOfCommand(thrown: unknown, now: number): Failure {
  const name = memberOf(thrown, 'name')
  const said = memberOf(memberOf(thrown, '$metadata'), 'httpStatusCode')
  const status = typeof said === 'number' && said >= 300 ? said : STATUSES.get(name)
  if (status === undefined || typeof name !== 'string' || memberOf(thrown, '$fault') === undefined) return classify(thrown)
  const headers = memberOf(memberOf(thrown, '$response'), 'headers')
  const texts = isObject(headers) ? Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string') : []
  const body = JSON.stringify({ message: memberOf(thrown, 'message') })
  return bedrock.decodeFailure({ status, headers: { ...Object.fromEntries(texts), 'x-amzn-errortype': name }, body, now })
}
