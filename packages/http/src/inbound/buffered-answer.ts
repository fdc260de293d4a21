import type { Arrival, CommittedRun, Part } from '@understudy/core'

import { DocumentArrival } from '../outbound/document-arrivals.js'
import { classicDocument } from './classic-envelope.js'
import type { AnswerWriting } from './stream-answer.js'
import { answerNames } from './stream-answer.js'

/** All the arrivals of a committed run as one JSON body: the provider's own document as it came, or one made of the parts. */
export function bufferedAnswer(run: CommittedRun, arrivals: readonly Arrival[], writing: AnswerWriting): Uint8Array {
  const own = run.answer.form === 'json' ? arrivals[0] : undefined
  const body = own?.bytes ?? encoded(run, arrivals, writing)
  const members = own instanceof DocumentArrival ? own.members : undefined
  const { codec, report, reportKey } = writing
  const told = report === undefined ? body : codec.withResponseField(body, reportKey, report, members)
  return writing.classic ? classicDocument(told) : told
}

function encoded(run: CommittedRun, arrivals: readonly Arrival[], writing: AnswerWriting): Uint8Array {
  const parts: Part[] = arrivals.flatMap((arrival) => arrival.parts)
  return Buffer.from(JSON.stringify(writing.codec.encodeResponse(parts, answerNames(run, parts, writing))))
}
