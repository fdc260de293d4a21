import type { Arrival, ChatRequest, CommittedRun, Dialect, Leg } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { UntranslatableRequestError } from '@understudy/dialects'
import type { Attempt } from './attempt.js'
import { errorOf } from './attempt.js'
import { converseOf, type ConverseCommand } from './bedrock-client.js'
import { createBedrockLeg } from './bedrock-leg.js'
import type { AnyEntry } from './client-call.js'
import { withoutIdentity } from './client-call.js'
import type { ClientChain } from './client-chain.js'
import type { WithFallbackOptions } from './options.js'
import type { BedrockClient, Members } from './sdk-client.js'
import { callOf, isObject, memberOf, withMembers } from './sdk-client.js'
import { abortError } from './vendor-error.js'

/** Takes the place of `send`, for the commands of Converse; every other command is the client's own. */
export function wrapBedrock<Client extends BedrockClient>(client: Client, chain: ClientChain, options: WithFallbackOptions): Client {
  return withMembers(client, {
    send(command: unknown, given?: unknown, callback?: unknown): unknown {
      const asked = converseOf(command)
      if (asked === undefined || typeof given === 'function' || typeof callback === 'function') return callOf(client, 'send', command, given, callback)
      return converse(asked, isObject(given) ? given : {}, chain, options)
    },
  })
}

async function converse(asked: ConverseCommand, sendOptions: Members, chain: ClientChain, { defaultParams = {} }: WithFallbackOptions): Promise<unknown> {
  const eventOf = new WeakMap<Arrival, unknown>()
  const globalParams = withoutIdentity(defaultParams)
  const signal = sendOptions['abortSignal']
  const call = {
    params: asked.input,
    request: requestOf(asked),
    signal: signal instanceof AbortSignal ? signal : undefined,
    isUnrepeatable: asked.input['idempotent'] === false,
  }
  const { run, attempt } = await chain.walk(call, (entry, parts) => (entry.dialect === undefined
    ? createBedrockLeg(entry, { ...parts, asked, globalParams, sendOptions, eventOf })
    : foreignLeg(entry, entry.dialect.codec.name, parts.onAttempt)))
  const output = isObject(attempt.output) ? attempt.output : {}
  if (asked.stream) return { ...output, stream: eventsOf(run, attempt, eventOf) }
  while ((await run.arrivals.next()).done !== true) continue
  return attempt.output
}

/** What the core reads of a request: whether an answer without output is one. */
function requestOf({ input, stream }: ConverseCommand): ChatRequest {
  const messages: unknown = input['messages']
  const last: unknown = Array.isArray(messages) ? memberOf(messages.at(-1), 'content') : undefined
  const isResult = Array.isArray(last) && last.some((block) => memberOf(block, 'toolResult') !== undefined)
  const model = input['modelId']
  return {
    dialect: 'bedrock',
    stream,
    messages: [{ role: isResult ? 'tool' : 'user', content: [] }],
    ...(typeof model === 'string' ? { model } : undefined),
  }
}

/** A client of another SDK takes no command of this one. */
function foreignLeg(entry: AnyEntry, target: Dialect, onAttempt: (attempt: Attempt) => void): Leg {
  return {
    provider: entry.provider,
    model: entry.model ?? '',
    open() {
      const error = new UntranslatableRequestError({ source: 'bedrock', target, feature: 'bedrock.converse_command' })
      onAttempt({ entry, thrown: { error } })
      throw new LegFailedError(failureOf('refused', { code: 'untranslatable' }), { cause: error })
    },
  }
}

/** The SDK's own events, of the attempt that serves; throws where the answer breaks off. */
async function* eventsOf(run: CommittedRun, attempt: Attempt, eventOf: WeakMap<Arrival, unknown>): AsyncGenerator<unknown, undefined> {
  for await (const arrival of run.arrivals) {
    const event = eventOf.get(arrival)
    if (event !== undefined) yield event
  }
  const failure = run.end()?.failure
  if (failure === undefined) return
  throw failure.kind === 'aborted' ? abortError() : await errorOf(attempt, failure)
}
