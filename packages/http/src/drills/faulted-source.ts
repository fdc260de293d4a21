import type { DrillFault, LegContext, StopSignal } from '@understudy/core'

import type { ByteSource } from '../outbound/byte-source.js'
import { corruptBytes, corruptEvent, cutAfterBytes, stallAtEnd } from '../outbound/fault.js'
import type { ByteStream } from '../outbound/fault.js'
import { StreamSource, streamOf } from './byte-stream.js'

/** Enough to see that an answer has begun, too little to hold output text in any dialect. */
const TEXT_FREE_BYTES = 8

/** What is done to the bytes of an answer. */
export type StreamFault = Exclude<DrillFault, 'fail'>

/** The fault that an answer is to meet. */
export interface AnswerFault {
  readonly type: StreamFault
  /** Told when the answer is there and the fault is in it: what fails before is the provider's own. */
  readonly onMet: () => void
}

/** What a leg is told about an attempt that a drill is to fail. */
export interface DrilledContext extends LegContext {
  readonly fault: AnswerFault
}

/** The fault that an attempt is to meet; `undefined` outside of drills. */
export function faultOf(context: LegContext | DrilledContext): AnswerFault | undefined {
  return 'fault' in context ? context.fault : undefined
}

/** The bytes of an answer, with the fault in them. */
export function faultedSource(source: ByteSource, { type, onMet }: AnswerFault, isEvents: boolean, signal: StopSignal): ByteSource {
  onMet()
  return new StreamSource(faulted(streamOf(source, signal), type, isEvents, signal))
}

function faulted(stream: ByteStream, fault: StreamFault, isEvents: boolean, signal: StopSignal): ByteStream {
  switch (fault) {
    case 'cut':
      return cutAfterBytes(stream, TEXT_FREE_BYTES)
    case 'stall':
      return stallAtEnd(cutAfterBytes(stream, TEXT_FREE_BYTES), signal)
    case 'corrupt':
      return isEvents ? corruptEvent(stream, 'every') : corruptBytes(stream)
  }
}
