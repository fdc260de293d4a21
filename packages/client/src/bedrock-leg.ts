import type { Arrival, Leg, LegAnswer, LegContext } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'
import { bedrock } from '@understudy/dialects'
import type { Attempt } from './attempt.js'
import { commandWith, failureOfCommand, type ConverseCommand } from './bedrock-client.js'
import type { BedrockEntry } from './client-call.js'
import { withoutIdentity } from './client-call.js'
import type { LegParts } from './client-chain.js'
import { UntranslatableModelError } from './errors.js'
import { createHop, type Hop } from './hop.js'
import type { RequestParams } from './options.js'
import type { Members } from './sdk-client.js'
import { callOf, isObject, memberOf } from './sdk-client.js'
import { isAsyncIterable } from './replay-events.js'

/** What the legs of one command have in common. */
export interface BedrockLegOptions extends LegParts {
  readonly asked: ConverseCommand
  readonly globalParams: RequestParams
  /** What `send` was told beside the command: the first client's own affair. */
  readonly sendOptions: Members
  /** The SDK's event that an arrival stands for. */
  readonly eventOf: WeakMap<Arrival, unknown>
}

/** A leg that sends a command of Converse through another client of the same SDK. */
export function createBedrockLeg(entry: BedrockEntry, options: BedrockLegOptions): Leg {
  const { asked, globalParams, sendOptions, onAttempt, hopTimeoutMs, limits, clock, wallClock, eventOf } = options
  const { client, provider, isPrimary } = entry
  const named = asked.input['modelId']
  const model = isPrimary && typeof named === 'string' ? named : entry.model

  async function open(_request: unknown, context: LegContext): Promise<LegAnswer> {
    const attempt: Attempt = { entry }
    onAttempt(attempt)
    context.onConnect()
    const command = commandFor(attempt)
    const hop = createHop(context.signal, hopTimeoutMs, clock)
    try {
      const output = await callOf(client, 'send', command, { ...(isPrimary ? sendOptions : undefined), abortSignal: hop.signal })
      attempt.output = output
      const stream = memberOf(output, 'stream')
      if (asked.stream && isAsyncIterable(stream)) return { form: 'none', arrivals: events(attempt, stream, hop) }
      // All of it is there.
      hop.release()
      return { form: 'json', arrivals: whole(output) }
    } catch (thrown) {
      throw lookedAt(attempt, thrown, hop)
    }
  }

  function commandFor(attempt: Attempt): object {
    if (model === undefined || model === '') {
      const error = new UntranslatableModelError({ model, provider })
      attempt.thrown = { error }
      throw new LegFailedError(failureOf('refused', { code: 'untranslatable' }), { cause: error })
    }
    const { idempotent, ...input } = asked.input
    const defaults = { ...globalParams, ...(isPrimary ? undefined : withoutIdentity(entry.defaultParams)) }
    const isAsMade = isPrimary && idempotent === undefined && model === named && Object.keys(defaults).length === 0
    return isAsMade ? asked.command : commandWith(asked, { ...defaults, ...input, modelId: model })
  }

  /** What was thrown is kept for the caller. */
  function lookedAt(attempt: Attempt, thrown: unknown, hop: Hop): LegFailedError {
    hop.release()
    const expired = hop.expired()
    if (expired !== undefined) return new LegFailedError(expired)
    attempt.thrown ??= { error: thrown }
    return new LegFailedError(failureOfCommand(thrown, wallClock()), { cause: thrown })
  }

  async function* whole(output: unknown): AsyncGenerator<Arrival, undefined> {
    const said = isObject(output) ? { output: output['output'], stopReason: output['stopReason'], usage: output['usage'] } : {}
    const { parts } = bedrock.decodeResponse(bytesOf(said), { status: 200 })
    yield await Promise.resolve({ parts, events: 1 })
  }

  async function* events(attempt: Attempt, stream: AsyncIterable<unknown>, hop: Hop): AsyncGenerator<Arrival, undefined> {
    const decoder = bedrock.createStreamDecoder({ forward: 'parts' })
    try {
      for await (const event of stream) {
        const arrival: Arrival = { parts: [], events: 1, ...decoder.push(frameOf(event)) }
        eventOf.set(arrival, event)
        yield arrival
      }
      const rest = decoder.end()
      if (rest !== undefined) yield rest
    } catch (thrown) {
      throw lookedAt(attempt, thrown, hop)
    } finally {
      hop.release()
      hop.abort()
    }
  }

  return { provider, model: model ?? '', limits, wholeAnswers: true, open }
}

/** An event of the SDK as the frames of the wire have it. */
function frameOf(event: unknown): Uint8Array {
  const [[name, data] = ['', {}]] = isObject(event) ? Object.entries(event).filter(([, value]) => value !== undefined) : []
  return Buffer.concat([Buffer.from(`event: ${name}\ndata: `), bytesOf(data), Buffer.from('\n\n')])
}

function bytesOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, (_key, member: unknown) =>
    (member instanceof Uint8Array ? Buffer.from(member).toString('base64') : member)) ?? 'null')
}
