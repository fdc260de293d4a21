import type { CommittedRun } from '@understudy/core'
import { LegFailedError } from '@understudy/core'
import type { StreamEncoder } from '@understudy/dialects'
import type { Attempt } from './attempt.js'
import { errorOf } from './attempt.js'
import { abortError } from './vendor-error.js'

/** What a stream's body is made with. */
export interface AnswerBodyOptions {
  readonly run: CommittedRun
  readonly attempt: Attempt
  /** Absent = the bytes go through as they came. */
  readonly encoder: StreamEncoder | undefined
  /** What ends a stream whose bytes go through. */
  readonly terminator: Uint8Array
  /** Ends the stream when the caller gives it up. */
  readonly signal: AbortSignal
}

/**
 * The body of a stream that is bound to an attempt. Lazy: nothing is read before it is asked for. Where the answer breaks off it
 * throws what the caller of the provider's own SDK would have been told.
 */
export function answerBody({ run, attempt, encoder, terminator, signal }: AnswerBodyOptions): ReadableStream<Uint8Array> {
  const { arrivals } = run
  const leave = (): void => void arrivals.return?.()
  signal.addEventListener('abort', leave, { once: true })

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let next = await arrivals.next(); next.done !== true; next = await arrivals.next()) {
          const { parts, bytes } = next.value
          const piece = encoder === undefined ? bytes : encoder.push(parts)
          if (piece === undefined) continue
          controller.enqueue(piece)
          return
        }
        const failure = run.end()?.failure
        if (failure?.kind === 'aborted') {
          controller.error(abortError())
        } else if (failure !== undefined) {
          controller.error(await errorOf(attempt, failure).catch(() => new LegFailedError(failure)))
        } else {
          controller.enqueue(encoder === undefined ? terminator : encoder.end())
          controller.close()
        }
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}
