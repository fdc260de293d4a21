import type { Arrival, CommittedRun, Part } from '@understudy/core'

import { classicDocument } from './classic-envelope.js'
import type { AnswerWriting } from './stream-answer.js'
import { answerNames } from './stream-answer.js'

/** All the arrivals of a committed run as one JSON body: the provider's own document as it came, or one made of the parts. */
export function bufferedAnswer(run: CommittedRun, arrivals: readonly Arrival[], writing: AnswerWriting): Uint8Array {
  const body = ownDocument(run, arrivals) ?? encoded(run, arrivals, writing)
  const told = writing.report === undefined ? body : writing.codec.withResponseField(body, ...writing.report)
  return writing.classic ? classicDocument(told) : told
}

function ownDocument(run: CommittedRun, arrivals: readonly Arrival[]): Uint8Array | undefined {
  return run.answer.form === 'json' ? arrivals[0]?.bytes : undefined
}

function encoded(run: CommittedRun, arrivals: readonly Arrival[], writing: AnswerWriting): Uint8Array {
  const parts: Part[] = arrivals.flatMap((arrival) => arrival.parts)
  return Buffer.from(JSON.stringify(writing.codec.encodeResponse(parts, answerNames(run, parts, writing))))
}
