import type { Arrival, CommittedRun, Part } from '@understudy/core'
import type { DialectCodec } from '@understudy/dialects'

import { namesModel } from './stream-answer.js'

/** What a buffered answer is written with. */
export interface BufferedWriting {
  /** The client's. */
  readonly codec: DialectCodec
  readonly requestId: string
  readonly report: readonly [key: string, json: string] | undefined
  readonly sameDialect: boolean
}

/** The whole of a committed run as one JSON body: the provider's own document as it came, or one made of the parts. */
export async function bufferedAnswer(run: CommittedRun, writing: BufferedWriting): Promise<Uint8Array> {
  const arrivals: Arrival[] = []
  for await (const arrival of run.arrivals) arrivals.push(arrival)
  const body = ownDocument(run, arrivals) ?? encoded(run, arrivals, writing)
  if (writing.report === undefined) return body
  const [key, json] = writing.report
  return writing.codec.withResponseField(body, key, json)
}

function ownDocument(run: CommittedRun, arrivals: readonly Arrival[]): Uint8Array | undefined {
  return run.answer.form === 'json' ? arrivals[0]?.bytes : undefined
}

function encoded(run: CommittedRun, arrivals: readonly Arrival[], writing: BufferedWriting): Uint8Array {
  const parts: Part[] = arrivals.flatMap((arrival) => arrival.parts)
  const json = writing.codec.encodeResponse(parts, {
    id: `chatcmpl-${writing.requestId}`,
    model: writing.sameDialect && namesModel(parts) ? undefined : run.leg.model,
    created: Math.floor(Date.now() / 1000),
  })
  return Buffer.from(JSON.stringify(json))
}
