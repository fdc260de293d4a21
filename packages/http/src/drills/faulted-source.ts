import type { Clock, DrillFault, LegContext, StopSignal } from '@understudy/core'
import { failureOf, LegFailedError } from '@understudy/core'

import type { ByteSource } from '../outbound/byte-source.js'
import { corruptBytes, corruptEvent, cutAfterBytes, stallAtEnd } from '../outbound/fault.js'
import type { ByteStream } from '../outbound/fault.js'
import { StreamSource, streamOf } from './byte-stream.js'

/** Enough to see that an answer has begun, too little to hold output text in any dialect. */
const TEXT_FREE_BYTES = 8

type Bytes = AsyncGenerator<Uint8Array, void, undefined>

/** What is done to the bytes of an answer. */
export type StreamFault = Exclude<DrillFault, 'fail'>

/** The fault that an answer is to meet. */
export interface AnswerFault {
  readonly type: StreamFault
  /** Told when the answer is there and the fault is in it: what fails before is the provider's own. */
  readonly onMet: () => void
  readonly clock: Clock
  /** An answer that begins later stays whole, and a stall ends then, by that clock. */
  readonly until: number
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
export function faultedSource(source: ByteSource, fault: AnswerFault, isEvents: boolean, signal: StopSignal): ByteSource {
  return new StreamSource(faultedInTime(streamOf(source, signal), fault, isEvents, signal))
}

async function* faultedInTime(stream: ByteStream, fault: AnswerFault, isEvents: boolean, signal: StopSignal): Bytes {
  const items = stream[Symbol.asyncIterator]()
  try {
    const first = await items.next()
    if (first.done === true) return
    const whole = behind(first.value, items)
    if (fault.clock.now() >= fault.until) {
      yield* whole
      return
    }
    fault.onMet()
    yield* faulted(whole, fault, isEvents, signal)
  } finally {
    await items.return?.()
  }
}

async function* behind(first: Uint8Array, items: AsyncIterator<Uint8Array>): Bytes {
  yield first
  for (let item = await items.next(); item.done !== true; item = await items.next()) yield item.value
}

function faulted(stream: ByteStream, fault: AnswerFault, isEvents: boolean, signal: StopSignal): ByteStream {
  switch (fault.type) {
    case 'cut':
      return cutAfterBytes(stream, TEXT_FREE_BYTES)
    case 'stall':
      return stalled(cutAfterBytes(stream, TEXT_FREE_BYTES), fault, signal)
    case 'corrupt':
      return isEvents ? corruptEvent(stream, 'every') : corruptBytes(stream)
  }
}

/** Silent until the attempt is over, by its own limit or by ours. */
async function* stalled(stream: ByteStream, { clock, until }: AnswerFault, signal: StopSignal): Bytes {
  const over = new AbortController()
  const end = (): void => over.abort(signal.reason)
  const cancel = clock.schedule(Math.max(0, until - clock.now()), () => {
    over.abort(new LegFailedError(failureOf('timeout', { phase: 'attempt', processed: 'maybe' })))
  })
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    yield* stallAtEnd(stream, over.signal)
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}
